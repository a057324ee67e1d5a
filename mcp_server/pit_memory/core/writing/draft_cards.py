"""Drafts as they wait to be published, and what became of one."""

from dataclasses import dataclass
from typing import Literal

from pit_memory.core.writing.receipts import CommitOutcome

DraftState = Literal["committed", "edited", "new"]

DISCARD_DAYS = 60
"""A draft that nobody has touched for so long is listed under "discard?", never deleted."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """A published section that a draft says again."""

    ref: str
    """Citation without its hash: what `--into` takes."""
    title: str
    likeness: float
    """0 to 1, by telling words."""
    changes: tuple[str, ...] = ()
    """The section's lines with `- ` where only it has them, the draft's with `+ `, `  ` for both;
    empty where they were not asked for."""


@dataclass(frozen=True, slots=True)
class DraftCard:
    """One draft."""

    path: str
    """Relative to the root."""
    title: str
    author: str
    """Empty where nobody is known."""
    age_days: int
    """Since it was last touched."""
    state: DraftState
    """Against the last commit; `new` also without a repository."""
    findings: int
    """Of the doc standard."""
    goes_to: str
    """Where publishing puts it unless told otherwise."""
    published_as: str = ""
    """A published document that names this draft as its origin; empty where there is none."""
    overlaps: tuple[Overlap, ...] = ()

    @property
    def is_old(self) -> bool:
        """Whether somebody should ask for its discard."""
        return self.age_days >= DISCARD_DAYS


@dataclass(frozen=True, slots=True)
class PublishOutcome:
    """What became of one draft that was to be published or discarded."""

    draft: str
    """Its path, as a draft."""
    target: str
    """Where it is now, or would be; empty where it was refused or discarded."""
    state: Literal["published", "proposed", "planned", "discarded", "refused"]
    commit: CommitOutcome | None = None
    reason: str = ""
    """Why it was refused."""
    changed: tuple[str, ...] = ()
    """Other files whose links, or navigation, changed with it."""
    diff: str = ""
    """Unified, of a dry run."""
    notes: tuple[str, ...] = ()
    """One line each: what the person should know or do."""
