"""Patterns of triggers: which are refused, and what a text must hold for one to match."""


def why_refused(pattern: str) -> str | None:
    """Why a pattern can't be a trigger's, one line; None where it can.

    Refused are patterns that are no regular expression, longer than a line, or that may take for
    ever: a group that repeats and can match one text in several ways, as in `(a+)+`.
    """
    raise NotImplementedError
