"""Retrieved text, made harmless to show: a terminal must not obey it, nor a reader be misled."""

_CONTROL_PICTURES = 0x2400
"""Unicode block that has a visible picture for each of the first 32 control characters."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MISLEADING = (
    *range(0x80, 0xA0),  # C1 controls; some terminals take 0x9b for the start of a command
    0x2028,  # line and paragraph separators: a line of ours is one line
    0x2029,
    *range(0x202A, 0x202F),  # text that reads in another order than it is written
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),  # halves of characters, which no output can be made of
)
_TABLE = (
    {code: _CONTROL_PICTURES + code for code in range(0x20)}
    | {0x7F: "\N{SYMBOL FOR DELETE}"}
    | dict.fromkeys(_MISLEADING, _REPLACEMENT)
    | {ord("\t"): " "}
)


_NAME_CHARACTERS = 160
"""Of a title or heading that a reader is shown: whoever writes a whole text into one floods no
answer with it."""


def safe_line(text: str) -> str:
    """One line of foreign text with controls as visible signs; everything else as it is."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_TABLE)


def safe_name(text: str) -> str:
    """A title or heading as `safe_line` has it, and of a long one its beginning."""
    cut = len(text) > _NAME_CHARACTERS
    return safe_line(f"{text[: _NAME_CHARACTERS - 1].rstrip()}…" if cut else text)
