"""What changed since the last look, and whether to believe it. Pure: stamps in, plan out."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pit_memory.core.text.plurals import counted

SHRINK_FLOOR = 20
"""A source with fewer documents may lose most of them: small trees change that way by hand."""

_WAY_OUT = "if that is meant: `pit-memory sync --allow-shrink`"


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
    """Why nothing is removed, one line with the way out; None where the plan may be carried out."""
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

    A root on another device is suspicious only if documents are missing there: device numbers of
    containers and network disks change with every mount.

    Args:
        known: indexed files of the source by path.
        seen: files that are there, each path once.
        device_changed: the root lies on another device than at the look before.
        not_looked: files and folders that could not be looked at; what is known there is kept. The
            whole source is the empty path.
        excused: lost paths whose loss has an explanation (`sources.walker.explain_losses`).
        allow_shrink: believe any loss.
    """
    add: list[SeenFile] = []
    change: list[SeenFile] = []
    for file in seen:
        before = known.get(file.path)
        if before is None:
            add.append(file)
        elif (
            before.mtime_ns != file.mtime_ns
            or before.size != file.size
            or before.ctime_ns != file.ctime_ns
        ):
            change.append(file)
    lost = _lost(known, seen, frozenset(not_looked)) if _some_missing(known, seen, add) else ()
    refused = None
    if lost and not allow_shrink:
        unexplained = _unexplained(known, lost, add, frozenset(excused))
        refused = _refusal(len(known), unexplained, anything=bool(seen), moved=device_changed)
    return Plan(
        add=_newest_first(add),
        change=_newest_first(change),
        remove=() if refused else lost,
        unchanged=len(seen) - len(add) - len(change),
        refused=refused,
        lost=lost,
    )


def keep_everything(known: Collection[str], why: str) -> Plan:
    """Plan for a source whose root could not be listed: nothing changes, the answer says why."""
    return Plan(add=(), change=(), remove=(), unchanged=len(known), refused=why)


def renames(removed: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    """Pair files that are gone with new ones of the same bytes.

    Args:
        removed: content hash by path of the files that are gone.
        added: content hash by path of the new ones.

    Returns:
        Old path to new path; each path at most once, a pair with the same file name first.
    """
    arrivals: dict[str, list[str]] = {}
    for path in sorted(added):
        arrivals.setdefault(added[path], []).append(path)
    pairs: dict[str, str] = {}
    for same_name in (True, False):
        for old in sorted(removed):
            candidates = arrivals.get(removed[old], [])
            if old in pairs or not candidates:
                continue
            fitting = (new for new in candidates if not same_name or _name(new) == _name(old))
            if (new := next(fitting, None)) is not None:
                pairs[old] = new
                candidates.remove(new)
    return pairs


def _some_missing(
    known: Mapping[str, Stamped], seen: Collection[SeenFile], add: Collection[SeenFile]
) -> bool:
    return len(seen) - len(add) < len(known)


def _lost(
    known: Mapping[str, Stamped], seen: Collection[SeenFile], not_looked: frozenset[str]
) -> tuple[str, ...]:
    there = {file.path for file in seen}
    return tuple(
        path for path in sorted(known) if path not in there and not is_at_or_below(path, not_looked)
    )


def is_at_or_below(path: str, places: Collection[str]) -> bool:
    """Tell whether a path, or a folder above it, is among some places; the root is the path ``."""
    while path and path not in places:
        path = path.rpartition("/")[0]
    return path in places


def _unexplained(
    known: Mapping[str, Stamped],
    lost: Collection[str],
    add: Collection[SeenFile],
    excused: frozenset[str],
) -> int:
    """Count lost documents that neither turn up under another name nor are excused.

    A move keeps size and time; the hash that proves it is known only after reading.
    """
    arrived = Counter((file.size, file.mtime_ns) for file in add)
    count = 0
    for path in lost:
        stamp = known[path].size, known[path].mtime_ns
        if arrived[stamp] > 0:
            arrived[stamp] -= 1
        elif path not in excused:
            count += 1
    return count


def _refusal(known: int, unexplained: int, *, anything: bool, moved: bool) -> str | None:
    if not unexplained:
        return None
    if not anything:
        return f"no document is there where {known} were; the index is kept; {_WAY_OUT}"
    if 2 * unexplained <= known:
        return None
    if moved:
        return (
            f"another disk is mounted there, without {unexplained} of "
            f"{counted(known, 'document')}; the index is kept; {_WAY_OUT}"
        )
    if known >= SHRINK_FLOOR:
        return f"{unexplained} of {known} documents are missing; the index is kept; {_WAY_OUT}"
    return None


def _newest_first(files: list[SeenFile]) -> tuple[str, ...]:
    return tuple(file.path for file in sorted(files, key=lambda file: (-file.mtime_ns, file.path)))


def _name(path: str) -> str:
    return path.rpartition("/")[2]
