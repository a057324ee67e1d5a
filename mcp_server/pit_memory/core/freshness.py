"""What changed since the last look, and whether to believe it. Pure: stamps in, plan out."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

SHRINK_FLOOR = 20
"""A source with fewer documents may lose most of them: small trees change that way by hand."""


class Stamped(Protocol):
    """What tells by stat alone that a file is the one that was read."""

    @property
    def size(self) -> int:
        """Bytes."""

    @property
    def mtime_ns(self) -> int:
        """Time of the last change of its bytes."""

    @property
    def ctime_ns(self) -> int:
        """Time of the last change of anything about it; 0 for "can't tell, read it again"."""


class SeenFile(NamedTuple):
    """A document's file as a look saw it (a tuple: a look makes thousands of them)."""

    path: str
    """POSIX path relative to the source's root, as the file system spells it."""
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a look asks for. Paths of `add` and `change` come newest first."""

    add: tuple[str, ...]
    change: tuple[str, ...]
    """Stamps moved: read it again, and take the same bytes for unchanged."""
    remove: tuple[str, ...]
    """Empty where the plan is refused."""
    unchanged: int
    refused: str | None
    """Why nothing is removed, one line with the way out; None for a plan that may be carried out."""
    lost: tuple[str, ...] = ()
    """Documents that are not there: those of `remove`, or those a refused plan keeps."""


def plan(
    known: Mapping[str, Stamped],
    seen: Collection[SeenFile],
    *,
    device_changed: bool = False,
    not_looked: Collection[str] = (),
    excused: Collection[str] = (),
    allow_shrink: bool = False,
) -> Plan:
    """Compare what is indexed with what a look saw.

    Args:
        known: indexed files of the source by path.
        seen: files that are there, each path once.
        device_changed: the root lies on another device than at the look before.
        not_looked: files and folders that could not be looked at; what is known there is kept.
        excused: lost paths whose loss has an explanation (`sources.walker.explain_losses`).
        allow_shrink: believe any loss.
    """
    raise NotImplementedError


def keep_everything(known: Collection[str], why: str) -> Plan:
    """Plan for a source whose root could not be listed: nothing changes, and the answer says why."""
    raise NotImplementedError


def renames(removed: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    """Pair files that are gone with new ones of the same bytes.

    Args:
        removed, added: content hash by path.

    Returns:
        Old path to new path; each path at most once, a pair with the same file name first.
    """
    raise NotImplementedError
