"""Percent-encoding, as citations and links write names; pure, UTF-8."""

import re

_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def percent_encode(text: str, reserved: re.Pattern[str]) -> str:
    """Encode the characters that a pattern matches as `%XX` of their UTF-8 bytes."""
    return reserved.sub(lambda match: "".join(f"%{byte:02X}" for byte in _bytes(match[0])), text)


def percent_decode(text: str) -> str:
    """Decode every `%XX`, as file names: bytes that are no UTF-8 become surrogates."""
    return _ENCODED.sub(_decoded, text) if "%" in text else text


def _bytes(text: str) -> bytes:
    # Names that are no valid text reach us with surrogates, as Python's file functions give them.
    return text.encode(errors="surrogateescape")


def _decoded(match: re.Match[str]) -> str:
    raw = bytes.fromhex(match[0].replace("%", ""))
    return raw.decode(errors="surrogateescape")
