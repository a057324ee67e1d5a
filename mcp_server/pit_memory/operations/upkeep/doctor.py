"""Ask every part for what it is there for, and say what to do where it doesn't."""

import json
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pit_memory import __version__
from pit_memory.core.settings.contacted import contacted
from pit_memory.core.text.plurals import counted
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.errors import EmbedderError, GitError, PitMemoryError, SettingsError, StoreError
from pit_memory.operations.canary import NAME, CanaryReport, check_deletion, embed_canary
from pit_memory.operations.indexing.source_plan import plan_source
from pit_memory.operations.services import Services
from pit_memory.operations.writing.site_guard import missing_exclusions
from pit_memory.workspace.drafts_branch import DraftsBranch
from pit_memory.workspace.files import make_folder, reason, write_atomic
from pit_memory.workspace.git import GitFailure, version
from pit_memory.workspace.installation import Installation
from pit_memory.workspace.places import Places, token_file
from pit_memory.workspace.settings_files import LoadedSettings
from pit_memory.workspace.token_file import TokenFile
from pit_memory.workspace.work_trees import toplevel

State = Literal["ok", "warn", "fail"]

_OLDEST_PYTHON: Final = (3, 11)
_OLDEST_GIT: Final = (2, 20)
"""`git ls-files` with the options that a look needs; older ones were not tried."""
_LITTLE_BYTES: Final = 1_000_000_000
_TOO_LITTLE_BYTES: Final = 100_000_000
_MANIFESTS: Final = ("plugin.json", ".claude-plugin/plugin.json")
_SOON_SECONDS: Final = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Finding:
    """What one part answered."""

    part: str
    state: State
    line: str
    repair: str = ""
    """What to do; empty where nothing is wrong."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where the doctor looks."""

    root: Path
    where: Places
    plugin: Path | None
    installed: Installation | None
    settings: Callable[[], LoadedSettings]
    services: Callable[[], AbstractContextManager[Services]]
    """Opens the project, with the canary."""


def examine(room: Room, *, full: bool = False) -> Iterator[Finding]:
    """Ask each part; a part that can't be asked because of another one is left out.

    Args:
        room: the project and its surroundings.
        full: also what takes longer: every page of the catalogue, a document that is made, found
            and deleted again.
    """
    yield from _versions()
    yield from _settings(room)
    yield from _data(room)
    yield from _plugin(room)
    yield from _site(room)
    yield from _tokens(room)
    yield from _writes(room)
    try:
        with room.services() as services:
            services.check_canary()  # like any search it indexes what is new
            yield from _sources(services)
            yield from _index(services, full=full)
            yield from _model(services)
            yield from _canary(services, full=full)
    except PitMemoryError as error:
        yield Finding("index", "fail", str(error), "correct that and run doctor again")


def _versions() -> Iterator[Finding]:
    python = platform.python_version()
    if sys.version_info < _OLDEST_PYTHON:
        yield Finding("python", "fail", f"Python {python}", "install Python 3.11 or newer")
    else:
        yield Finding("python", "ok", f"Python {python}, pit-memory {__version__}")
    found = version()
    if isinstance(found, GitFailure):
        yield Finding("git", "fail", found.reason, "install git, or put it on the PATH")
        return
    shown = ".".join(map(str, found))
    if found < _OLDEST_GIT:
        yield Finding("git", "warn", f"git {shown} is old", "install git 2.20 or newer")
    else:
        yield Finding("git", "ok", f"git {shown}")


def _settings(room: Room) -> Iterator[Finding]:
    try:
        loaded = room.settings()
    except SettingsError as error:
        yield Finding("settings", "fail", str(error), "correct the file it names")
        return
    wrong = [mistake.problem for mistake in loaded.mistakes]
    for problem in loaded.problems:
        if problem in wrong:
            repair = "correct it or take it away; until then nothing is written here"
            yield Finding("settings", "fail", problem, repair)
        else:
            yield Finding("settings", "warn", problem, "remove it, or move it to where it counts")
    if not loaded.problems:
        yield Finding("settings", "ok", f"{len(loaded.origins)} set, the others at their default")
    servers = "; ".join(contacted(loaded.settings)) or "none"
    yield Finding("network", "ok", f"servers contacted: {servers}")


def _data(room: Room) -> Iterator[Finding]:
    folder = room.where.data
    probe = folder / ".doctor"
    try:
        make_folder(folder)
        write_atomic(probe, b"")
        probe.unlink()
        free = shutil.disk_usage(folder).free
    except (PitMemoryError, OSError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        yield Finding("data", "fail", why, f"make {folder} writable, or set PIT_MEMORY_DATA")
        return
    line = f"{folder}, {free / 1e9:.1f} GB free"
    if free < _TOO_LITTLE_BYTES:
        yield Finding("data", "fail", line, "free some space")
    elif free < _LITTLE_BYTES:
        yield Finding("data", "warn", line, "free some space soon")
    else:
        yield Finding("data", "ok", line)


def _plugin(room: Room) -> Iterator[Finding]:
    if room.installed and room.installed.model_failure:
        yield Finding("install", "warn", room.installed.model_failure, "bin/pit-memory tries again")
    if room.plugin is None:
        return  # installed with pip: there is no plugin folder
    for name in _MANIFESTS:
        file = room.plugin / name
        try:
            stated = json.loads(file.read_text(encoding="utf-8"))["version"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            yield Finding("manifests", "fail", f"{file}: {error!r}", "install the plugin again")
            continue
        if stated != __version__:
            line = f"{file} says {stated}, the package is {__version__}"
            yield Finding("manifests", "fail", line, "update the plugin, then restart the client")
        else:
            yield Finding("manifests", "ok", f"{name} {stated}")
    yield from _hooks(room.plugin)


def _hooks(plugin: Path) -> Iterator[Finding]:
    """Every hook that the client is told to run has its script."""
    file = plugin / "hooks/hooks.json"
    try:
        events = json.loads(file.read_text(encoding="utf-8"))["hooks"]
        named = {
            hook["args"][-1]
            for groups in events.values()
            for group in groups
            for hook in group["hooks"]
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        yield Finding("hooks", "fail", f"{file}: {error!r}", "install the plugin again")
        return
    missing = sorted(name for name in named if not (plugin / f"hooks/{name}.py").is_file())
    if missing or not (plugin / "hooks/launch").is_file():
        line = f"{plugin / 'hooks'} lacks {', '.join(missing) or 'launch'}"
        yield Finding("hooks", "fail", line, "install the plugin again")
    else:
        yield Finding("hooks", "ok", f"{len(named)} scripts")


def _site(room: Room) -> Iterator[Finding]:
    lacking = missing_exclusions(room.root, DRAFTS_HOME)
    for each in lacking:
        line = f"{each.file} would publish the drafts in {DRAFTS_HOME}"
        repair = f"correct it: {each.problem}" if each.problem else f"add `{each.line}`"
        yield Finding("site", "fail", line, repair)
    if not lacking:
        yield Finding("site", "ok", "no site publishes drafts")


def _tokens(room: Room) -> Iterator[Finding]:
    file = TokenFile(token_file(room.where))
    try:
        tokens = file.tokens()
    except SettingsError as error:
        yield Finding("tokens", "fail", str(error), "restore the file")
        return
    now = time.time()
    valid = [token for token in tokens if token.standing(now) == "valid"]
    for token in valid:
        if token.expires is not None and token.expires - now < _SOON_SECONDS:
            repair = "`pit-memory token add` makes another one"
            yield Finding("tokens", "warn", f"{token.name} expires within a week", repair)
    if tokens:
        yield Finding("tokens", "ok", f"{len(valid)} of {len(tokens)} are valid")


def _writes(room: Room) -> Iterator[Finding]:
    """Whether what agents write on this server can be pushed."""
    try:
        settings = room.settings().settings.fetch
    except SettingsError:
        return  # said already
    if not settings.drafts:
        return
    try:
        DraftsBranch(room.root, settings.drafts, settings.base).check_push()
    except GitError as error:
        repair = "give the clone's account the right to push that branch; until then agents read"
        yield Finding("writes", "fail", str(error), repair)
    else:
        yield Finding("writes", "ok", f"{settings.drafts} can be pushed")


def _sources(services: Services) -> Iterator[Finding]:
    for opened in services.stores:
        for source in opened.sources:
            if source.name == NAME:
                continue
            planned = plan_source(opened.store.catalogue, source)
            name = f"source {source.name}" if source.name else "documents"
            if planned.refused:
                repair = "bring the folder back, or accept the loss: pit-memory sync --allow-shrink"
                yield Finding(name, "fail", planned.refused, repair)
                continue
            problems = len(opened.store.catalogue.problems(source.name))
            line = f"{counted(len(planned.known), 'file')} in {source.root}"
            if problems:
                repair = "`pit-memory status --problems` lists them"
                yield Finding(name, "warn", f"{line}, {counted(problems, 'problem')}", repair)
            else:
                yield Finding(name, "ok", line)
    if toplevel(services.root) is None:
        line = f"{services.root} is in no git work tree"
        yield Finding("repository", "warn", line, "`git init`: without git nothing is committed")


def _index(services: Services, *, full: bool) -> Iterator[Finding]:
    for opened in services.stores:
        store = opened.store
        try:
            if full:
                store.catalogue.check()
            store.keywords.verify()
            counts = store.catalogue.counts()
        except StoreError as error:
            repair = "`pit-memory sync --full` builds it again from the files"
            yield Finding("catalogue", "fail", str(error), repair)
            continue
        notes = store.notes()
        held = f"{counted(counts.documents, 'document')}, {counted(counts.chunks, 'chunk')}"
        line = f"{held} in {store.folder}"
        yield Finding("catalogue", "warn" if notes else "ok", "; ".join((line, *notes)))
    if trouble := services.background.trouble:
        yield Finding("background", "fail", trouble, "correct that; the next search tries again")


def _model(services: Services) -> Iterator[Finding]:
    if services.meaning is None:
        if services.without_meaning:
            yield Finding("model", "fail", services.without_meaning, "see above; words still work")
        else:
            yield Finding("model", "ok", 'off by choice (embedding.provider = "none")')
        return
    try:
        services.meaning.embedder.embed_query("Can the model read a plain sentence?")
        embed_canary(services.store, services.meaning)
    except (EmbedderError, StoreError) as error:
        yield Finding("model", "fail", str(error), "until then answers come by words only")
        return
    yield Finding("model", "ok", services.meaning.embedder.fingerprint)


def _canary(services: Services, *, full: bool) -> Iterator[Finding]:
    report = services.check_canary()
    repair = "`pit-memory sync --full`; if that changes nothing, report it"
    why = "; ".join(report.reasons)
    yield _found("by words", report.words, "the canary is found", why, repair)
    yield from _by_meaning(services, report, why)
    held = "filters let through and keep out what they should (audience, assignment, tag, path)"
    yield _found("filters", report.filters, held, why, repair)
    if full:
        gone = check_deletion(services)
        said = "a document that was made is found, and gone once it is deleted"
        yield _found("delete", not gone, said, gone, repair)


def _by_meaning(services: Services, report: CanaryReport, why: str) -> Iterator[Finding]:
    if report.meaning is None:
        return
    coverage = services.coverage()
    progress = coverage.line() if coverage else ""
    if report.meaning and not progress:
        yield Finding("by meaning", "ok", "the canary is found, and every chunk has its vector")
    elif progress and services.meaning is not None:
        yield Finding("by meaning", "warn", progress, "it is built behind; `eval run` waits for it")
    else:
        yield Finding("by meaning", "fail", why, "answers come by words only until that works")


def _found(part: str, is_well: bool, line: str, why: str, repair: str) -> Finding:
    return Finding(part, "ok", line) if is_well else Finding(part, "fail", why or part, repair)
