"""The drafts that wait: who wrote them, how old they are, what is wrong with them."""

import posixpath
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.documents.citations import format_ref
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source
from pit_memory.core.writing.draft_cards import DraftCard, DraftState, Overlap
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.errors import GitError
from pit_memory.operations.drafts.draft_files import draft_paths
from pit_memory.operations.quality.lint import LintedFile, LintReport, lint_documents
from pit_memory.operations.reading.origins import origins_of
from pit_memory.workspace.git import person_name
from pit_memory.workspace.git_changes import FileHistory, histories, uncommitted
from pit_memory.workspace.work_trees import toplevel

_DAY = 86_400

FindOverlaps = Callable[[str, str], Sequence[Overlap]]
"""Title and text of a draft to the published sections that say it already."""


@dataclass(frozen=True, slots=True)
class DraftsReport:
    """The drafts of a project."""

    drafts: tuple[DraftCard, ...]
    """Oldest first."""
    lint: LintReport
    notes: tuple[str, ...]


def list_drafts(
    source: Source,
    settings: Settings,
    *,
    paths: Sequence[str] = (),
    mine: bool = False,
    overlaps: FindOverlaps | None = None,
    now: float | None = None,
) -> DraftsReport:
    """List the drafts of a project.

    Args:
        source: the project's own documents.
        settings: where drafts go, rules that are switched off.
        paths: only these, relative to the root.
        mine: only those of the person that git knows here.
        overlaps: finds what is published already; None leaves it out.
        now: seconds since 1970; None for the clock.

    Raises:
        SourceError: the root can't be listed.
    """
    root = Path(source.root)
    shown = [path for path in draft_paths(root) if not paths or path in paths]
    files, report = (
        lint_documents(source, settings, shown) if shown else ([], LintReport(0, (), ()))
    )
    past, changes, notes = _git_facts(root)
    origins = origins_of(source) if shown else {}
    findings = Counter(problem.path for problem in report.problems)
    me = person_name(root) if mine else ""
    cards = []
    for file in files:
        author = _author(file, past.get(file.path))
        if mine and author != me:
            continue
        title = _title(file)
        text = "\n".join(file.parsed.lines[file.parsed.body_start - 1 :])
        cards.append(
            DraftCard(
                path=file.path,
                title=title,
                author=author,
                age_days=_age(root, file.path, past, changes, time.time() if now is None else now),
                state=_state(file.path, past, changes),
                findings=findings[file.path],
                goes_to=default_target(file.path, settings),
                published_as=format_ref(origins[file.path]) if file.path in origins else "",
                overlaps=tuple(overlaps(title, text)) if overlaps else (),
            )
        )
    cards.sort(key=lambda card: (-card.age_days, card.path))
    return DraftsReport(tuple(cards), report, notes)


def default_target(draft: str, settings: Settings) -> str:
    """Where a draft goes unless told otherwise, relative to the root."""
    inside = draft.removeprefix(f"{DRAFTS_HOME}/")
    return posixpath.normpath(posixpath.join(settings.publish.to, inside))


def _git_facts(
    root: Path,
) -> tuple[Mapping[str, FileHistory], Mapping[str, str], tuple[str, ...]]:
    """The life of each draft, what is not committed, and why neither is known."""
    if toplevel(root) is None:
        return {}, {}, ()
    try:
        return histories(root, DRAFTS_HOME), uncommitted(root, [DRAFTS_HOME]), ()
    except GitError as error:
        return {}, {}, (f"ages are those of the files: {error}",)


def _state(path: str, past: Mapping[str, FileHistory], changes: Mapping[str, str]) -> DraftState:
    if path not in past:
        return "new"
    return "edited" if path in changes else "committed"


def _age(
    root: Path,
    path: str,
    past: Mapping[str, FileHistory],
    changes: Mapping[str, str],
    now: float,
) -> int:
    if path in past and path not in changes:
        touched = float(past[path].changed)
    else:
        try:
            touched = (root / path).stat().st_mtime
        except OSError:
            touched = now
    return max(0, int((now - touched) // _DAY))


def _author(file: LintedFile, history: FileHistory | None) -> str:
    named = file.front.values.get("author")
    if isinstance(named, str) and named:
        return named
    return history.author if history else ""


def _title(file: LintedFile) -> str:
    title = file.front.values.get("title")
    if isinstance(title, str | int | float) and not isinstance(title, bool) and str(title).strip():
        return " ".join(str(title).split())
    return file.parsed.h1 or posixpath.splitext(posixpath.basename(file.path))[0]
