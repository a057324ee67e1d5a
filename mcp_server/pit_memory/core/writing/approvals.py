"""Who approved what: names of people, and the drafts of a batch."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from pit_memory.errors import UsageError

_NOT_A_PERSON = re.compile(
    r"(?:the\s+)?(?:ai|agent|assistant|automation|bot|claude(?:\s*code)?|copilot|codex|gpt.*|llm|me|model"
    r"|myself|none|nobody|system|unknown|user|yes)",
    re.IGNORECASE,
)
"""What an agent calls itself, or nobody in particular."""
_LONGEST = 100


class Choice(NamedTuple):
    """A draft that was chosen, and where it goes."""

    name: str
    to: str = ""
    into: str = ""
    replace: bool = False


def approver_of(text: str) -> str:
    """The name of the person who approved, as it stands in the commit.

    Raises:
        UsageError: it is no name of a person.
    """
    name = " ".join(text.split())
    if not name or len(name) > _LONGEST or not any(char.isalpha() for char in name):
        message = "--approved-by: give the name of the person who chose these drafts"
        raise UsageError(message)
    if _NOT_A_PERSON.fullmatch(name):
        message = (
            f"--approved-by: {name!r} is not a person; an agent can't approve its own proposal: "
            "ask the user, then give their name"
        )
        raise UsageError(message)
    return name


def choices_of(text: str) -> Iterator[Choice]:
    """Yield the drafts of a batch: `NAME`, `NAME -> TARGET`, or a JSON object, one a line.

    A target with `#` is a section that takes the draft in. `#` at the start begins a comment.

    Raises:
        UsageError: a line is none of these; names it.
    """
    for number, line in enumerate(text.split("\n"), 1):
        written = line.strip()
        if not written or written.startswith("#"):
            continue
        if written.startswith("{"):
            yield _from_json(written, number)
            continue
        name, arrow, target = (part.strip() for part in written.partition("->"))
        if not name or (arrow and not target):
            message = f"--from: line {number} is {written!r}; write NAME, or NAME -> TARGET"
            raise UsageError(message)
        yield Choice(name, into=target) if "#" in target else Choice(name, to=target)


def _from_json(line: str, number: int) -> Choice:
    try:
        values = json.loads(line)
        known = {key: values[key] for key in values if key in Choice._fields}
        if len(known) == len(values) and all(
            isinstance(known.get(k, ""), str) for k in ("name", "to", "into")
        ):
            return Choice(**known)
    except (ValueError, TypeError):
        pass
    message = f"--from: line {number} is no object of {', '.join(Choice._fields)}"
    raise UsageError(message)
