"""Who is asked to review a change, by a CODEOWNERS file."""

import re
from collections.abc import Iterable, Sequence

from pit_memory.core.text.globs import Globs
from pit_memory.errors import UsageError

PLACES = ("CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS")
"""Where it lies, relative to the top of a repository."""
_OWNER = re.compile(r"@[\w.-]+(?:/[\w.-]+)*")


def owners_of(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The owners of some files, without `@`; of each file those of the last rule that matches.

    Args:
        text: of CODEOWNERS; addresses of mail are left out, as no forge takes them for reviewers.
        paths: relative to the top of the repository.
    """
    rules = list(_rules(text))
    found: dict[str, None] = {}
    for path in paths:
        for globs, owners in reversed(rules):
            if globs.match(path):
                found.update(dict.fromkeys(owners))
                break
    return tuple(found)


def _rules(text: str) -> Iterable[tuple[Globs, Sequence[str]]]:
    default: list[str] = []
    for line in text.split("\n"):
        written = line.partition(" #")[0].strip()
        if written.startswith("#") or not written:
            continue
        if written.startswith(("[", "^[")):  # a section of GitLab, with owners of its own
            default = _OWNER.findall(written.rpartition("]")[2])
            continue
        pattern, *owners = re.split(r"(?<!\\)\s+", written)
        try:
            globs = Globs([pattern])
        except UsageError:
            continue
        named = [owner for owner in owners if _OWNER.fullmatch(owner)] or default
        yield globs, [owner.removeprefix("@") for owner in named]
