"""Which sources are searched in a project: its own documents, and what the person added."""

import os
import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.settings.added_sources import AddedSource
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import MARKDOWN_ENDINGS, Source, inside, without_overlap
from pit_memory.sources.formats import ENDINGS
from pit_memory.sources.vault import dialect_of


@dataclass(frozen=True, slots=True)
class SearchedSources:
    """What is searched in a project, by the store that holds it."""

    own: tuple[Source, ...]
    """Of the project's store: its documents, folders of it that were added, push memory."""
    personal: tuple[Source, ...]
    """Of the person's store: those of the person's sources that are searched here."""
    overlap: tuple[str, ...]
    """Folders of personal sources that `own` holds, relative to their source."""
    notes: tuple[str, ...]
    """What is not searched and why, one line each."""

    @property
    def all(self) -> tuple[Source, ...]:
        """All of them."""
        return (*self.own, *self.personal)


def sources_of(
    root: Path,
    settings: Settings,
    *,
    home: str,
    is_project: bool,
    memory: Sequence[Source] = (),
    everywhere: bool = False,
) -> SearchedSources:
    """Find the sources that are searched in a folder.

    A person's source is searched outside of projects and in those that were allowed. A home folder,
    or the inside of a personal source, is no place of documents of its own.

    Args:
        root: absolute, symlinks resolved.
        settings: that hold there.
        home: the person's home folder; empty where there is none.
        is_project: whether the root is a project.
        memory: push memory of the person, already found.
        everywhere: also those of the person's sources that are not searched there.
    """
    notes: list[str] = []
    every = [personal_source(added, settings, home) for added in settings.personal.sources]
    personal = [
        source
        for added, source in zip(settings.personal.sources, every, strict=True)
        if everywhere or is_searched(added, root, home, is_project=is_project)
    ]
    names = {source.name for source in personal}
    added = list(_project_sources(root, settings, names, notes))
    own = [own_source(root, settings)] if _has_own(root, is_project, home, every, notes) else []
    inner = [source.root for source in personal]
    return SearchedSources(
        own=(*without_overlap((*own, *added), inner), *memory),
        personal=tuple(source for source in without_overlap(every) if source.name in names),
        overlap=tuple(
            path for source in personal if own and (path := inside(source.root, str(root)))
        ),
        notes=tuple(notes),
    )


def personal_source(added: AddedSource, settings: Settings, home: str) -> Source:
    """One of the person's lines as a source."""
    folder = os.path.realpath(expanded(added.path, home))
    return Source(
        added.name,
        folder,
        include=added.include,
        exclude=added.exclude,
        endings=ENDINGS,
        dialect=dialect_of(Path(folder)),
        max_file_bytes=settings.docs.max_file_bytes,
    )


def is_searched(added: AddedSource, root: Path, home: str, *, is_project: bool) -> bool:
    """Tell whether a source of the person is searched in a folder."""
    if not is_project:
        return True
    is_itself = os.path.realpath(expanded(added.path, home)) == str(root)
    return not is_itself and is_allowed(added, root, home)


def is_allowed(added: AddedSource, root: Path, home: str) -> bool:
    """Tell whether the person lets a source of theirs be searched in a project."""
    return any(os.path.realpath(expanded(path, home)) == str(root) for path in added.projects)


def expanded(path: str, home: str) -> str:
    """A path of the person's settings as an absolute one."""
    return home + path[1:] if home and (path + "/").startswith("~/") else path


def _project_sources(
    root: Path, settings: Settings, taken: Collection[str], notes: list[str]
) -> Iterator[Source]:
    for added in settings.docs.sources:
        folder = os.path.realpath(root / added.path)
        if inside(str(root), folder) is None:
            notes.append(f"source {added.name!r} is not searched: {added.path} leaves the project")
        elif added.name in taken:
            notes.append(
                f"source {added.name!r} of this project is not searched: one of your own is called "
                "so; rename yours"
            )
        else:
            yield Source(
                added.name,
                folder,
                include=added.include,
                exclude=added.exclude,
                hidden=settings.docs.hidden,
                max_file_bytes=settings.docs.max_file_bytes,
            )


def own_source(root: Path, settings: Settings) -> Source:
    """The documents of a project itself, push memory included."""
    docs, memory = settings.docs, posixpath.normpath(settings.memory.home)
    records = (f"{posixpath.normpath(settings.incidents.home)}/**", *settings.incidents.include)
    return Source(
        name="",
        root=str(root),
        include=(*docs.include, f"{memory}/*.md", *records) if docs.include else (),
        exclude=docs.exclude,
        hidden=docs.hidden,
        endings=_named_endings(docs.include),
        dialect=dialect_of(root),
        max_file_bytes=docs.max_file_bytes,
        entries=memory,
        incidents=records,
    )


def _named_endings(include: Sequence[str]) -> tuple[str, ...]:
    """Markdown, and what the globs of a project name by its ending, such as `papers/*.pdf`."""
    named = tuple(it for it in ENDINGS if any(glob.lower().endswith(it) for glob in include))
    return tuple(dict.fromkeys((*MARKDOWN_ENDINGS, *named)))


def _has_own(
    root: Path, is_project: bool, home: str, personal: Sequence[Source], notes: list[str]
) -> bool:
    """Tell whether a folder's own documents are searched there."""
    if is_project:
        return True
    here = str(root)
    if any(source.root == here or inside(source.root, here) for source in personal):
        return False
    at_home = home and (os.path.realpath(home) + "/").startswith(here.rstrip("/") + "/")
    if at_home and not personal:
        notes.append(
            f"{here} as a whole is not searched: go to a project, or add folders of yours with "
            "`pit-memory docs add DIR`"
        )
    return not at_home
