"""A number with its noun, as people read it."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 draft`, `1,200 drafts`.

    Args:
        number: how many.
        noun: what one of them is called.
        plural: what several are called; with an `s` where it is empty.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
