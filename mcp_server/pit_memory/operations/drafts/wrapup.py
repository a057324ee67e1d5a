"""What a wrap-up looks at: drafts, notes to share, gotchas added, and what rots in touched docs."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pit_memory.core.documents.documents import Problem
from pit_memory.core.push.memory_entries import PREAMBLE, kind_and_slug
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source
from pit_memory.errors import GitError
from pit_memory.operations.drafts.drafts import DraftsReport
from pit_memory.operations.quality.lint import lint
from pit_memory.operations.quality.staleness import stale_findings
from pit_memory.workspace.files import make_data_folder, write_atomic
from pit_memory.workspace.git_changes import added_since, changed_since, uncommitted
from pit_memory.workspace.work_trees import toplevel

_ROTTEN = ("dead-", "stale-", "review-due")
"""What is wrong by itself with time; how a page is written is its writer's business."""
_FIRST_SPAN_SECONDS = 14 * 86_400
"""What the first wrap-up of a project looks back on."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note of the client's own memory, which nobody else sees."""

    name: str
    """Of its file."""
    about: str
    """What it says of itself; empty where it says nothing."""


@dataclass(frozen=True, slots=True)
class WrapupReport:
    """What waits for a person's choice."""

    drafts: DraftsReport
    since: str
    """ISO 8601 date from which on the rest is told: of the last wrap-up, else two weeks ago."""
    notes: tuple[Note, ...]
    """Written since; "share with the team?"."""
    gotchas: tuple[str, ...]
    """Entries of push memory added since, by path."""
    rotten: tuple[Problem, ...]
    """Dead citations and stale statements in documents that were touched since."""
    waiting: tuple[str, ...]
    """Files that were written and left for the wrap-up to commit, as people are told."""


def review(
    source: Source,
    settings: Settings,
    drafts: DraftsReport,
    *,
    native: Path | None,
    mark: Path,
    waiting: Sequence[Path] = (),
    now: float | None = None,
) -> WrapupReport:
    """Gather what a wrap-up looks at; nothing is changed.

    Args:
        source: the project's own documents.
        settings: of the project.
        drafts: those that wait.
        native: folder of the client's own notes, where there is one.
        mark: file whose time is that of the last wrap-up.
        waiting: files that were left for the wrap-up to commit.
        now: seconds since 1970; None for the clock.
    """
    root = Path(source.root)
    present = time.time() if now is None else now
    since = _time_of(mark) or present - _FIRST_SPAN_SECONDS
    today = time.strftime("%Y-%m-%d", time.localtime(present))
    return WrapupReport(
        drafts=drafts,
        since=time.strftime("%Y-%m-%d", time.localtime(since)),
        notes=tuple(_notes_since(native, since)) if native else (),
        gotchas=tuple(_entries_since(root, settings.memory.home, since)),
        rotten=tuple(_rotten_since(source, settings, since, today)),
        waiting=tuple(_shown(root, path) for path in waiting),
    )


def _shown(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def mark_done(mark: Path) -> None:
    """Let the next wrap-up look back to this moment.

    Raises:
        StorageFullError: the mark can't be written.
    """
    make_data_folder(mark.parent)
    write_atomic(mark, b"")
    mark.touch()


def _time_of(mark: Path) -> float | None:
    try:
        return mark.stat().st_mtime
    except OSError:
        return None


def _notes_since(folder: Path, since: float) -> Iterator[Note]:
    for path in sorted(folder.glob("*.md")):
        try:
            if path.name == PREAMBLE or path.stat().st_mtime <= since:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        lines = (line.partition(":") for line in text.split("\n")[:20])
        about = next((value for key, _, value in lines if key.strip() == "description"), "")
        yield Note(path.name, about.strip().strip("\"'"))


def _entries_since(root: Path, home: str, since: float) -> Iterator[str]:
    added = [*_asked(root, "added", home, since), *_new(root, home)]
    for path in sorted(set(added)):
        if _is_entry(path) and (root / path).is_file():
            yield path


def _rotten_since(
    source: Source, settings: Settings, since: float, today: str
) -> Iterator[Problem]:
    root = Path(source.root)
    touched = {*_asked(root, "changed", ".", since), *_new(root, ".")}
    paths = [path for path in sorted(touched) if path.endswith((".md", ".mdx", ".markdown"))]
    known = [path for path in paths if (root / path).is_file() and not _is_entry(path)]
    if known:
        further = [partial(stale_findings, root, today=today)]
        found = lint(source, settings, known, further=further)
        yield from (one for one in found.problems if one.rule.startswith(_ROTTEN))


def _is_entry(path: str) -> bool:
    return kind_and_slug(Path(path).name) is not None


def _asked(root: Path, what: str, path: str, since: float) -> Sequence[str]:
    if toplevel(root) is None:
        return ()
    ask = added_since if what == "added" else changed_since
    try:
        return tuple(ask(root, path, int(since)))
    except GitError:
        return ()


def _new(root: Path, path: str) -> Sequence[str]:
    """What is not committed."""
    if toplevel(root) is None:
        return ()
    try:
        return tuple(uncommitted(root, [path]))
    except GitError:
        return ()
