"""Look at one source and plan what has to be done for its index."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.documents.freshness import Plan, SeenFile, keep_everything, plan
from pit_memory.core.source import Source
from pit_memory.errors import SourceError
from pit_memory.sources.kept_listing import KeptListing
from pit_memory.sources.listing import Listing
from pit_memory.sources.sieve import rules_of
from pit_memory.sources.walker import explain_losses, list_source
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.rows import SourceRow
from pit_memory.workspace.mounts import network_at

NETWORK_SECONDS = 30.0
"""Between two looks of searches at a network drive, where each file costs a question."""


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """A source, what a look saw of it and what is to be done."""

    source: Source
    plan: Plan
    generation: int
    """Of the catalogue, before that was asked what it holds: who writes later writes a newer one.
    """
    known: Mapping[str, SeenFile]
    """What is indexed, by path."""
    seen: dict[str, SeenFile]
    """The files of `plan.add` and `plan.change`, by path."""
    row: SourceRow | None
    """What to record of the look; None where the root could not be listed."""
    left_out: int
    """Files that are not indexed; a folder that is skipped whole counts as one."""
    taken_anew: bool
    """The settings take its files for something else than the last look did."""
    refused: str | None
    """Why nothing is removed, with the source's name and the way out."""
    notes: tuple[str, ...]
    """What else a person should know, one line each."""
    is_slow: bool = False
    """Looks are rare, so each is recorded."""
    not_looked: int = 0
    """Files and folders that could not be looked at."""

    @property
    def waiting(self) -> tuple[str, ...]:
        """Files to read, newest first."""
        newest_first = sorted(self.seen.values(), key=lambda file: (-file.mtime_ns, file.path))
        return tuple(file.path for file in newest_first)

    @property
    def is_done(self) -> bool:
        """Whether the files are indexed as they are, and nothing is to be recorded."""
        changes = self.plan.add or self.plan.change or self.plan.remove
        return not changes and not (self.is_slow and self.row)


def plan_source(
    catalogue: Catalogue,
    source: Source,
    *,
    allow_shrink: bool = False,
    full: bool = False,
    spares_networks: bool = False,
    remembered: KeptListing | None = None,
) -> SourcePlan:
    """List a source, compare it with the catalogue, refuse what would wipe the index.

    Args:
        catalogue: where it is indexed.
        source: what to look at.
        allow_shrink: believe any loss, as is done of facts, where their folder is there.
        full: read every file again, whatever its stamps say.
        spares_networks: do not look at a network drive that was looked at a moment ago.
        remembered: of the source, from earlier looks and for later ones.
    """
    generation = catalogue.generation()
    known = catalogue.known_files(source.name)
    kind = network_at(source.root)
    is_slow = bool(kind)
    if is_slow and spares_networks and (note := _was_looked_at(catalogue, source, kind)):
        kept = Plan(add=(), change=(), remove=(), unchanged=len(known), refused=None)
        return SourcePlan(
            source, kept, generation, known, {}, None, 0, False, None, (note,), is_slow
        )
    try:
        # A folder of facts is ours, and a recall has ten milliseconds: no question to git.
        by_git = source.assignment is None
        root, rules = Path(source.root), rules_of(source)
        listing = list_source(root, rules, by_git=by_git, known=known, kept=remembered)
    except SourceError as error:
        refusal = f"{_name(source)}: {error}; what was indexed of it is kept"
        kept = keep_everything(known, str(error))
        return SourcePlan(source, kept, generation, known, {}, None, 0, False, refusal, ())
    before = catalogue.source(source.name)
    believed = allow_shrink or source.assignment is not None
    compared = _compare(source, known, listing, before, allow_shrink=believed)
    # What is refused is not the source but, say, an empty mount point: neither its device nor what
    # it looks like (no vault) is recorded, so that the next look finds it strange again.
    stays = before if compared.refused else None
    reads_as = stays.reads_as if stays else source.reads_as
    taken_anew = before is not None and before.reads_as != reads_as
    if full or taken_anew:
        again = tuple(file.path for file in listing.files if file.path in known)
        compared = Plan(compared.add, again, compared.remove, 0, compared.refused, compared.lost)
    waiting = {*compared.add, *compared.change}
    return SourcePlan(
        source,
        compared,
        generation,
        known,
        {file.path: file for file in listing.files if file.path in waiting} if waiting else {},
        SourceRow(
            source.name,
            source.collection,
            source.root,
            stays.device if stays else listing.device,
            time.time(),
            reads_as,
        ),
        sum(group.count for group in listing.left_out),
        taken_anew,
        f"{_name(source)}: {compared.refused}" if compared.refused else None,
        listing.notes,
        is_slow,
        len(listing.not_looked),
    )


def _compare(
    source: Source,
    known: Mapping[str, SeenFile],
    listing: Listing,
    before: SourceRow | None,
    *,
    allow_shrink: bool,
) -> Plan:
    if _is_as_known(known, listing.files):
        return Plan(add=(), change=(), remove=(), unchanged=len(known), refused=None)
    moved = before is not None and before.root == source.root and before.device != listing.device
    excused: frozenset[str] = frozenset()
    while True:
        compared = plan(
            known,
            listing.files,
            device_changed=moved,
            not_looked=listing.not_looked,
            excused=excused,
            allow_shrink=allow_shrink,
        )
        if compared.refused is None or excused:
            return compared
        excused = explain_losses(Path(source.root), compared.lost, listing)
        if not excused:
            return compared


def _is_as_known(known: Mapping[str, SeenFile], files: Sequence[SeenFile]) -> bool:
    return len(files) == len(known) and [known.get(file.path) for file in files] == list(files)


def _was_looked_at(catalogue: Catalogue, source: Source, kind: str) -> str:
    """Say that a network drive was looked at a moment ago; empty where it was not."""
    before = catalogue.source(source.name)
    seconds = time.time() - before.looked_at if before else NETWORK_SECONDS
    if not 0 <= seconds < NETWORK_SECONDS:
        return ""
    return (
        f"{_name(source)} is on a network drive ({kind}): looked at {int(seconds)} s ago, as its "
        f"files are looked at every {NETWORK_SECONDS:g} s at most"
    )


def _name(source: Source) -> str:
    return f"source {source.name!r} ({source.root})" if source.name else source.root
