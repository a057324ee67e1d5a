"""Bearer tokens of a server: what is kept of each, and what a presented one is worth.

Only the SHA-256 of a token is kept. It is 256 random bits, so there is nothing to guess and a slow
hash would protect nothing.
"""

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Literal

from pit_memory.core.facts.assignments import assignment_name
from pit_memory.core.serving.access import Access, readable
from pit_memory.errors import SettingsError, UsageError

PREFIX = "pit_"
"""Begins every token, so that scanners for secrets know one when they see it."""
SECRET_BYTES = 32
MAX_CHARACTERS = 4_096
"""Of a presented token; a signed one of an identity provider may have two thousand."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_SPAN = re.compile(r"(\d{1,4})([hdwy])")
_SECONDS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}

Standing = Literal["valid", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """What is kept of a token."""

    name: str
    sha256: str
    """Of the token, 64 hex digits."""
    assignment: str | None
    audiences: tuple[str, ...]
    """As they were given; `Access.audiences` holds what they read."""
    writes: bool
    created: int
    """Seconds since the epoch, like the following."""
    expires: int | None
    revoked: int | None = None

    def standing(self, now: float) -> Standing:
        """What it is worth at a time."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "valid"

    @property
    def access(self) -> Access:
        """What it allows."""
        return Access(self.name, self.assignment, readable(self.audiences), self.writes)


def digest(token: str) -> str:
    """What is kept of a token instead of itself."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def find(tokens: Iterable[TokenRecord], presented: str) -> TokenRecord | None:
    """The record of a presented token; how long it takes tells nothing about the others."""
    hashed = digest(presented)
    found = None
    for token in tokens:
        if hmac.compare_digest(token.sha256, hashed):
            found = token
    return found


def seconds_of(span: str) -> int | None:
    """Seconds of a span such as `12h`, `90d`, `8w`, `1y`; None for `never`.

    Raises:
        UsageError: it is none.
    """
    if span == "never":
        return None
    matched = _SPAN.fullmatch(span)
    if not matched or not int(matched[1]):
        message = f"--expires is {span!r}; say a span such as 12h, 90d, 8w or 1y, or never"
        raise UsageError(message)
    return int(matched[1]) * _SECONDS[matched[2]]


def checked(record: TokenRecord, others: Sequence[TokenRecord]) -> TokenRecord:
    """A new record with its assignment as facts know it, or an error that says what is wrong.

    Raises:
        UsageError: its name is taken or no name, or its assignment or an audience is none.
    """
    if not _NAME.fullmatch(record.name):
        message = (
            f"{record.name!r} is no name for a token: letters, digits and . _ @ - make one, 64 at "
            "most, a letter or digit first"
        )
        raise UsageError(message)
    if any(other.name == record.name for other in others):
        message = f"there is a token {record.name} already; revoke it first, or choose another name"
        raise UsageError(message)
    assignment = record.assignment
    if assignment is not None:
        assignment = assignment_name(assignment, "--assignment")
    try:
        readable(record.audiences)
    except ValueError as error:
        message = f"--audience: {error}"
        raise UsageError(message) from error
    return replace(record, assignment=assignment)


def as_values(tokens: Iterable[TokenRecord]) -> dict[str, object]:
    """Records as the JSON value of the file."""
    return {"tokens": [asdict(token) for token in tokens]}


def from_values(value: object, place: str) -> tuple[TokenRecord, ...]:
    """Records from the JSON value of the file at a place.

    Raises:
        SettingsError: it holds something else: nobody is let in by a file that can't be read.
    """
    try:
        if not isinstance(value, dict):
            raise TypeError(value)  # noqa: TRY301 -- all that is wrong is one error to the caller
        return tuple(_record(each) for each in value["tokens"])
    except (KeyError, TypeError, ValueError) as error:
        message = f"{place} is no list of tokens ({error!r}); restore it, or remove it and add anew"
        raise SettingsError(message) from error


def _record(value: Mapping[str, Any]) -> TokenRecord:
    given = {**value}
    audiences = given.pop("audiences")
    if not isinstance(audiences, list):
        raise TypeError(audiences)
    record = TokenRecord(audiences=tuple(audiences), **given)
    whole = (record.created, record.expires or 0, record.revoked or 0)
    texts = (record.name, record.sha256, record.assignment or "")
    if not all(isinstance(number, int) for number in whole):
        raise TypeError(whole)
    if not all(isinstance(text, str) for text in texts) or not isinstance(record.writes, bool):
        raise TypeError(record.name)
    readable(record.audiences)
    return record
