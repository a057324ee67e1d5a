"""What a write answers: who can see it, where it lies, whether it is committed and found."""

from dataclasses import dataclass
from typing import Literal

CommitState = Literal["committed", "waiting", "not committed", "no repository"]


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """What became of a commit."""

    state: CommitState
    """`waiting`: the settings leave it to the person."""
    id: str = ""
    """Abbreviated, where there is one."""
    branch: str = ""
    """Empty where HEAD is detached, or nothing was committed."""
    reason: str = ""
    """One line: why there is no commit, or what is to be known of it; empty where all is well."""
    also: tuple[str, ...] = ()
    """Further files that are in it, as a hook staged them; POSIX paths from the top."""
    is_pushed: bool = False

    @property
    def is_missed(self) -> bool:
        """A commit was to be made and is not there: somebody must see to it.

        What the settings leave for later, or lies in no repository, misses none.
        """
        return self.state == "not committed"


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """What is there already and may say the same."""

    ref: str
    title: str
    why: str
    """`says nearly the same`, `has this name`, ..."""


@dataclass(frozen=True, slots=True)
class WriteReceipt:
    """What became of something to be written down."""

    is_written: bool
    """False where what is there already must be looked at first: see `near`."""
    kind: str
    title: str
    visible: str
    """Who can see it, one line."""
    place: str
    """Its file, as people are told."""
    ref: str
    """Citation of it; empty where nothing was written."""
    route: str
    """Why it lies there."""
    commit: CommitOutcome
    is_retrievable: bool
    """A search has just found it."""
    why_not_retrievable: str
    near: tuple[NearDuplicate, ...]
    notes: tuple[str, ...]
    """One line each: what else there is to know."""
