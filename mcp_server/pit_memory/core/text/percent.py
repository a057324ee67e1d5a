"""Percent-encoding, as citations and links write names; UTF-8."""

import re

_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def percent_encode(text: str) -> str:
    """Encode every character as the `%XX` of its UTF-8 bytes.

    Args:
        text: may hold the surrogates by which Python's file functions spell bytes that are no text.
    """
    return "".join(f"%{byte:02X}" for byte in text.encode(errors="surrogateescape"))


def address_part(text: str, signs: str) -> str:
    """Text as a part of an address: letters and digits of ASCII stay, and some signs."""
    return "".join(
        char if char.isascii() and (char.isalnum() or char in signs) else percent_encode(char)
        for char in text
    )


def percent_decode(text: str) -> str:
    """Decode every `%XX`, as file names: bytes that are no UTF-8 become surrogates."""
    return _ENCODED.sub(_decoded, text) if "%" in text else text


def _decoded(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode(errors="surrogateescape")
