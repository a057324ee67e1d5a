"""Documents that name what is no longer there, or that are past their review; with the evidence."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.staleness import (
    Mention,
    by_name,
    contradicts,
    just_recipes,
    make_targets,
    mentions_of,
    package_scripts,
    pins_of,
)
from pit_memory.core.text.globs import Globs
from pit_memory.errors import GitError
from pit_memory.operations.quality.lint import LintedFile
from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.git import GitFailure, head_paths
from pit_memory.workspace.git_removals import Removal, moved_to, removals
from pit_memory.workspace.work_trees import toplevel

_MANIFESTS = Globs(
    (
        *("requirements*.txt", "requirements*.lock", "package.json", "go.mod"),
        *("Dockerfile*", "docker-compose*.y*ml", "compose*.y*ml"),
    )
)
_MAX_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class _Said:
    """A mention and the document that it stands in."""

    path: str
    mention: Mention


def stale_findings(root: Path, files: Sequence[LintedFile], today: str) -> Iterator[Problem]:
    """Find what documents say of their repository and what is not so any more.

    A file counts as gone only where the history shows that it was there; a target, script or
    version only where the manifest that would name it says otherwise.

    Args:
        root: the project.
        files: the documents.
        today: ISO 8601 date.
    """
    said = [_Said(file.path, mention) for file in files for mention in mentions_of(file.parsed)]
    yield from _past_review(files, today)
    yield from _gone_files(root, [one for one in said if one.mention.kind == "file"])
    yield from _gone_commands(root, said)
    yield from _other_versions(root, [one for one in said if one.mention.kind == "version"])


def _past_review(files: Sequence[LintedFile], today: str) -> Iterator[Problem]:
    for file in files:
        due = str(file.front.values.get("review_after", ""))[:10]
        if due and due < today and due[:1].isdigit():
            lines = enumerate(file.parsed.lines, 1)
            line = next((at for at, text in lines if text.startswith("review_after")), 1)
            message = f"review_after was {due}; read it through, then set the next date"
            yield Problem(file.path, line, "review-due", message)


def _gone_files(root: Path, said: Sequence[_Said]) -> Iterator[Problem]:
    at_head = head_paths(root) if toplevel(root) else GitFailure("no repository")
    if isinstance(at_head, GitFailure):
        return
    names = {posixpath.basename(path) for path in at_head}
    asked: dict[str, list[_Said]] = {}
    for one in said:
        name = one.mention.name
        if "/" not in name:
            if name not in names and not (root / name).exists():
                asked.setdefault(name, []).append(one)
            continue
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(one.path), name))
        if not (root / name).exists() and not (root / beside).exists():
            asked.setdefault(posixpath.normpath(name), []).append(one)
    if not asked:
        return
    try:
        removed = _first_by_name(root, removals(root, tuple(asked)), asked)
    except GitError:
        return
    for name, removal in removed.items():
        where = f"; it is {removal.new_path} now" if removal.new_path else ""
        for one in asked[name]:
            message = f"`{one.mention.name}` is gone since {removal.commit} ({removal.date}){where}"
            yield Problem(one.path, one.mention.line, "stale-file", message)


def _first_by_name(
    root: Path, found: Iterator[Removal], asked: dict[str, list[_Said]]
) -> dict[str, Removal]:
    """The latest removal of each name that was asked for, with what became of it."""
    latest: dict[str, Removal] = {}
    for removal in found:
        whole, name = removal.path, posixpath.basename(removal.path)
        folders = [whole[:at] for at, sign in enumerate(whole) if sign == "/"]
        for each in (whole, name, *folders):
            if each in asked:
                latest.setdefault(each, removal)
    return {
        name: replace(
            removal, new_path=moved_to(root, removal) if removal.path.endswith(name) else ""
        )
        for name, removal in latest.items()
    }


def _gone_commands(root: Path, said: Sequence[_Said]) -> Iterator[Problem]:
    known = {
        "make": (("Makefile", "makefile", "GNUmakefile"), make_targets, "target"),
        "run": (("package.json",), package_scripts, "script"),
        "just": (("justfile", "Justfile", ".justfile"), just_recipes, "recipe"),
    }
    for kind, (files, names_in, what) in known.items():
        mentions = [one for one in said if one.mention.kind == kind]
        file = next((name for name in files if (root / name).is_file()), None)
        there = names_in(_text(root / file)) if mentions and file else None
        if there is None:
            continue
        for one in mentions:
            name = one.mention.name
            if name not in there and not (root / name).exists():
                message = f"{file} has no {what} {name!r}"
                yield Problem(one.path, one.mention.line, "stale-command", message)


def _other_versions(root: Path, said: Sequence[_Said]) -> Iterator[Problem]:
    if not said:
        return
    at_head = head_paths(root) if toplevel(root) else GitFailure("no repository")
    if isinstance(at_head, GitFailure):
        return
    manifests = sorted(path for path in at_head if _MANIFESTS.match(path))
    pins = by_name(chain.from_iterable(pins_of(path, _text(root / path)) for path in manifests))
    for one in said:
        mention = one.mention
        if pin := contradicts(mention.version, pins.get(mention.name, ())):
            message = (
                f"{mention.name} {mention.version} is not what the repository has: "
                f"{pin.file}:{pin.line} says {pin.version}"
            )
            yield Problem(one.path, mention.line, "stale-version", message)


def _text(path: Path) -> str:
    try:
        return read_bytes(path, _MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""
