"""What is where, what is built, and what is wrong; nothing is indexed."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pit_memory import __version__
from pit_memory.core.indexing.vectors import Coverage
from pit_memory.core.settings.contacted import contacted
from pit_memory.core.source import Source
from pit_memory.errors import SourceError, StoreError
from pit_memory.operations.facts.facts_status import FactsStatus, facts_status
from pit_memory.operations.indexing.source_plan import plan_source
from pit_memory.operations.reading.links import DeadLink, dead_links
from pit_memory.operations.searching.opened_store import OpenedStore
from pit_memory.operations.services import Services
from pit_memory.operations.usage import Usage, read_usage
from pit_memory.sources.sieve import EXAMPLES, LeftOut, rules_of
from pit_memory.sources.walker import list_source
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.rows import Counts, ProblemRow
from pit_memory.stores.store import newest_catalogue
from pit_memory.workspace.fact_home import FactHome
from pit_memory.workspace.installation import Installation
from pit_memory.workspace.places import (
    Places,
    person_settings,
    project_settings,
    store_folder,
    stores,
)

LOCAL_SCAN_CHUNKS = 300_000
"""A question takes some 40 ms of a core then: 20 a second nearly fill it."""
ABANDONED_DAYS = 30
"""A store is offered for removal where its root is gone and nobody looked for so long."""
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source as its last look left it."""

    name: str
    root: str
    counts: Counts
    left_out: tuple[LeftOut, ...]
    """Asked of the files just now, those that git ignores included."""
    problems: tuple[ProblemRow, ...]
    looked_at: float
    """Seconds since the epoch; 0 before the first look."""
    meaning: Coverage | None
    """How much of it can be found by meaning; None without a model."""
    trouble: str
    """Why it can't be looked at, or what a look saw is not believed; empty where all is well."""


@dataclass(frozen=True, slots=True)
class Status:
    """Everything `pit-memory status` says."""

    version: str
    root: str
    store: str
    data: str
    settings_files: Mapping[str, bool]
    """Path of each settings file that would be read, and whether it is there."""
    origins: Mapping[str, str]
    """Where each setting that isn't at its default comes from."""
    sources: tuple[SourceStatus, ...]
    facts: FactsStatus
    """Of the assignment that is resolved here, and of no other."""
    meaning: Coverage | None
    without_meaning: str
    """Why there is no search by meaning; empty where there is, and where it was chosen."""
    environment: str
    """Folder of the launcher's environment; empty outside of one."""
    model_failure: str
    """Why the model could not be installed; empty where it was."""
    network: str
    """Hosts that are contacted and why: `none`."""
    abandoned: tuple[str, ...]
    """Folders of stores whose root is gone for long."""
    notes: tuple[str, ...]
    usage: Usage
    """What searches of the project came to, on this machine."""


def status(
    services: Services,
    where: Places,
    origins: Mapping[str, str],
    installed: Installation | None,
    home: FactHome,
) -> Status:
    """Say where everything lives, what is built and what is wrong.

    Args:
        services: of the project.
        where: the folders of this person.
        origins: where each setting that isn't at its default comes from.
        installed: the environment that runs this; None outside of the launcher's.
        home: of the person's facts.

    Raises:
        StoreError: the catalogue can't be used now.
    """
    files = (person_settings(where), project_settings(services.root))
    open_facts = services.open_facts if store_folder(where, home.root).is_dir() else None
    return Status(
        version=__version__,
        root=str(services.root),
        store=str(services.store.folder),
        data=str(where.data),
        settings_files={str(file): file.is_file() for file in files},
        origins=origins,
        sources=tuple(
            source_status(opened, source) for opened in services.stores for source in opened.sources
        ),
        facts=facts_status(home, services.access, origins, open_facts),
        meaning=services.coverage(),
        without_meaning=services.without_meaning,
        environment=str(installed.environment) if installed else "",
        model_failure=installed.model_failure if installed else "",
        network="; ".join(contacted(services.settings)) or "none",
        abandoned=tuple(_abandoned(stores(where), time.time())),
        notes=(
            *services.notes,
            *(note for opened in services.stores for note in opened.store.notes()),
            *_scale_notes(services),
        ),
        usage=read_usage(services.store.folder),
    )


def _scale_notes(services: Services) -> Iterator[str]:
    if services.meaning is None or services.settings.vectors.backend != "local":
        return
    chunks = services.store.catalogue.counts().chunks
    if chunks > LOCAL_SCAN_CHUNKS:
        yield (
            f"{chunks:,} chunks are many for a scan on this machine; a Qdrant server answers "
            'sooner (vectors.backend = "qdrant", docs/scale.md)'
        )


def source_status(opened: OpenedStore, source: Source) -> SourceStatus:
    """One source as its last look left it, with what is left out of it now."""
    catalogue = opened.store.catalogue
    row = catalogue.source(source.name)
    left_out, trouble = _left_out(source)
    trouble = trouble or plan_source(catalogue, source).plan.refused or ""
    return SourceStatus(
        name=source.name,
        root=source.root,
        counts=catalogue.counts(source.name),
        left_out=(*left_out, *_facts_among(catalogue, source)),
        problems=catalogue.problems(source.name),
        looked_at=row.looked_at if row else 0.0,
        meaning=opened.coverage(source.name),
        trouble=trouble,
    )


def dead_links_of(opened: OpenedStore, source: Source) -> tuple[DeadLink, ...]:
    """Every wikilink of a source that leads nowhere."""
    return tuple(dead_links(source, opened.store.catalogue))


def _left_out(source: Source) -> tuple[tuple[LeftOut, ...], str]:
    """What is left out of a source, or why that can't be said."""
    try:
        return list_source(Path(source.root), rules_of(source), with_ignored=True).left_out, ""
    except SourceError as error:
        return (), str(error)


def _facts_among(catalogue: Catalogue, source: Source) -> Iterator[LeftOut]:
    """Files that are facts, be they in a home of facts in the tree or copied there."""
    if paths := catalogue.kept_as_facts(source.name):
        yield LeftOut("kept as facts", len(paths), tuple(paths[:EXAMPLES]))


def _abandoned(folder: Path, now: float) -> Iterator[str]:
    """Yield the stores none of whose roots exists, and that nobody used for long."""
    if not folder.is_dir():
        return
    for store in sorted(folder.iterdir()):
        file = newest_catalogue(store)
        if file is None or now - file.stat().st_mtime < ABANDONED_DAYS * _SECONDS_A_DAY:
            continue
        try:
            catalogue = Catalogue.open(file)
        except StoreError:
            continue  # whoever uses it is told
        try:
            roots = [row.root for row in catalogue.sources()]
        finally:
            catalogue.close()
        if roots and not any(Path(root).exists() for root in roots):
            yield str(store)
