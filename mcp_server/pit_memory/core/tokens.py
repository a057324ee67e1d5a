"""The one measure of size: an estimate of a text's word pieces, without a model.

Words count by length, digits and other signs each a bit under one. The weights were fitted to the
word pieces of the builtin model's vocabulary on sections of English documentation: within 20 % for
95 of 100 sections. Cyrillic letters, which that vocabulary doesn't know as words, were fitted to
cl100k_base, of the vocabularies of readers the one that cuts Russian smallest: within 16 % for 95
of 100 paragraphs. Every feature is one count over bytes, since every text is measured.
"""

_CYRILLIC_LEADS = range(0xD0, 0xD4)
"""First bytes of U+0400 to U+04FF in UTF-8."""


def _byte_classes() -> bytes:
    classes = bytearray(b"." * 256)
    for code in range(128):
        char = chr(code)
        if char.isalpha():
            classes[code] = ord("a")
        elif char.isdigit():
            classes[code] = ord("0")
        elif char.isspace() or code < ord(" "):
            classes[code] = ord(" ")
    for code in _CYRILLIC_LEADS:
        classes[code] = ord("c")
    return bytes(classes)


_CLASS_OF_BYTE = _byte_classes()
"""Letters become `a`, Cyrillic ones `c`, digits `0`, white space a space, all else a sign `.`."""
_UTF8_CONTINUATION = bytes(range(0x80, 0xC0))
"""Left out, so that a character outside ASCII is one sign."""
_WEIGHTS = (
    (b" a", 0.95),  # a word
    (b".a", 1.5),  # a word glued to a sign: part of an identifier, seldom whole in a vocabulary
    (b".", 0.9),
    (b"c", 0.55),
    (b"0", 0.65),  # numbers are cut into pieces of one to three digits
    (b"a" * 6, 0.45),  # for every six letters of one word
    (b"a" * 15, 4.3),  # for every fifteen: words run together
)
_ROUNDING = 0.5


def estimate(text: str) -> int:
    """Estimated number of word pieces in a text; 0 only for blank text."""
    classes = b" " + text.encode(errors="replace").translate(_CLASS_OF_BYTE, _UTF8_CONTINUATION)
    pieces = sum([weight * classes.count(feature) for feature, weight in _WEIGHTS])
    return max(1, round(pieces)) if pieces else 0


def line_cost(line: str) -> float:
    """What a line takes of a budget, its line end included.

    An estimate is rounded; with half a token more the sum over lines is never below the whole's.
    """
    return estimate(line) + _ROUNDING
