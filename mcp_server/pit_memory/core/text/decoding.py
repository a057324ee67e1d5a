"""Bytes of a file to text: one encoding decision, one kind of line end."""

import codecs

from pit_memory.core.records import NamedTuple

_UTF16_SAMPLE = 4096
"""Bytes looked at when guessing UTF-16 without a byte order mark."""
_UTF16_ZERO_SHARE = 0.7
"""Share of zero bytes at one parity alone that says UTF-16; Latin text has nearly 1."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Decoded(NamedTuple):
    """Text of a file, ready for every parser and hash."""

    text: str
    """LF line ends only, no byte order mark, NUL replaced by U+FFFD (as CommonMark asks)."""
    encoding: str
    """`utf-8`, `utf-16-le`, `utf-16-be` or `windows-1252`."""
    problem: str | None
    """One line for the user where the bytes were not clean; None where they were."""


def decode(data: bytes) -> Decoded:
    """Decode a text file whatever its encoding; never raises, never drops a line.

    UTF-8 first, also where a few bytes are broken; UTF-16 by byte order mark or by the pattern of
    its zero bytes; else Windows-1252, which is Latin-1 with printable characters where Latin-1 has
    control codes. CRLF and lone CR count as line ends.
    """
    encoding, body = _guess(data)
    if encoding is None:
        text, encoding, problem = _decode_unmarked(body)
    else:
        text = body.decode(encoding, errors="replace")
        problem = f"contains bytes that are not valid {encoding}" if _REPLACEMENT in text else None
    if "\0" in text:
        problem = problem or "contains NUL characters; they are read as U+FFFD"
        text = text.replace("\0", _REPLACEMENT)
    return Decoded(with_lf(text), encoding, problem)


def with_lf(text: str) -> str:
    """Replace CRLF and lone CR by LF."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_end_of(text: str) -> str:
    """How the lines of a text end, to write it again as it was; LF where it has one line."""
    return next((end for end in ("\r\n", "\n", "\r") if end in text), "\n")


def lines_of(text: str) -> list[str]:
    """Lines of an LF text without their ends; a final LF ends the last line and opens none."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _guess(data: bytes) -> tuple[str | None, bytes]:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8", data[len(codecs.BOM_UTF8) :]
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le", data[len(codecs.BOM_UTF16_LE) :]
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be", data[len(codecs.BOM_UTF16_BE) :]
    sample = data[:_UTF16_SAMPLE]
    if len(sample) >= 2 and 0 in sample:
        even, odd = (
            sample[0::2].count(0) / len(sample[0::2]),
            sample[1::2].count(0) / len(sample[1::2]),
        )
        if odd > _UTF16_ZERO_SHARE and even < 1 - _UTF16_ZERO_SHARE:
            return "utf-16-le", data
        if even > _UTF16_ZERO_SHARE and odd < 1 - _UTF16_ZERO_SHARE:
            return "utf-16-be", data
    return None, data


def _decode_unmarked(data: bytes) -> tuple[str, str, str | None]:
    try:
        return data.decode("utf-8"), "utf-8", None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    text = data.decode("utf-8", errors="replace")
    beyond_ascii = len(text) - len(text.encode("ascii", errors="ignore"))
    broken = text.count(_REPLACEMENT)
    if beyond_ascii > 2 * broken:
        problem = f"has broken UTF-8 at line {line} ({broken} in all), read as U+FFFD: repair it"
        return text, "utf-8", problem
    problem = f"is not UTF-8 (first at line {line}); read as Windows-1252: save it as UTF-8"
    return data.decode("windows-1252", errors="replace"), "windows-1252", problem
