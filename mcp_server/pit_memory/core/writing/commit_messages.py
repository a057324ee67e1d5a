"""What our commits say, and whose facts a commit's message speaks of."""

import re
import unicodedata

_SUBJECT_CHARACTERS = 72
_CUT = "…"
_OWN = re.compile(r"facts: (?:import [\d,]+|(?:[a-z]+ )?[0-9a-f]{16}) of (?P<whose>.*)")
_OTHERS = re.compile(r"(?: and \d+ more)?")
"""Facts of others that were committed with these."""
_OTHERS_CUT = re.compile(r"(?: (?:a(?:nd?)?)?| and \d+(?: m(?:or?)?)?)?")


def short_message(message: str) -> str:
    """A message whose first line is not longer than what people read in a log."""
    subject, *rest = message.split("\n")
    if len(subject) > _SUBJECT_CHARACTERS:
        subject = subject[: _SUBJECT_CHARACTERS - 1].rstrip() + _CUT
    return "\n".join([subject, *rest])


def fact_message(what: str, assignment: str) -> str:
    """What a commit of facts says.

    Args:
        what: an id, a verb and an id, or `import` and a number.
        assignment: whose facts they are.
    """
    return f"facts: {what} of {assignment}"


def speaks_of(message: str, assignment: str) -> bool:
    """Whether a commit's message names an assignment, and not only others called similarly.

    Of our own messages the whole name counts, or as much as the cut of a long line left of it. What
    people or their hooks wrote speaks of it where the name is no part of a longer word or name.
    """
    word = re.compile(rf"(?<!\w)(?<!\w[-.:@]){re.escape(assignment)}(?!\w)(?![-.:@]\w)")
    for line in unicodedata.normalize("NFC", message).split("\n"):
        own = _OWN.fullmatch(line)
        if _is_whose(own["whose"], assignment) if own else word.search(line):
            return True
    return False


def _is_whose(shown: str, assignment: str) -> bool:
    left = shown.removesuffix(_CUT)
    if shown.endswith(_CUT) and assignment.startswith(left):
        return True
    if not shown.startswith(assignment):
        return False
    rest = shown[len(assignment) :]
    return bool(
        _OTHERS.fullmatch(rest)
        or (rest.endswith(_CUT) and _OTHERS_CUT.fullmatch(rest.removesuffix(_CUT)))
    )
