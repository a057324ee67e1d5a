"""Installs the packages of a lock file into a plain folder: with uv if it is there, else with pip.

A folder of packages, not a virtual environment: nothing in it knows its own place, so it can be
renamed once it is whole. Every file is checked against the hash in the lock; sources are never
built, since that would need compilers and run what they say.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from launcher.progress import Progress
from pit_memory.errors import PitMemoryError

_REDRAW_SECONDS = 0.05
_PIPS = 4
"""How many run side by side: most of their time is waiting for the index."""
_REASON_CHARACTERS = 300
# What a person's settings may say for other installs and other Pythons, and would break this one.
_DROPPED = ("PYTHON", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_CONSTRAINT", "PIP_REQUIREMENT")
"""Beginnings of names of variables."""
_PIP_SETTINGS = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1"}
_PIP_OPTIONS = ("--retries", "2", "--progress-bar", "off")


class InstallError(PitMemoryError):
    """Packages can't be installed; the message says why."""


class Installer:
    """Installs lock files for one Python; its words go to the log of `progress`."""

    def __init__(self, python: Path, environ: Mapping[str, str], progress: Progress) -> None:
        """Choose uv where it is on the PATH of `environ`."""
        self._python = python
        self._uv = shutil.which("uv", path=environ.get("PATH", os.defpath))
        kept = {name: value for name, value in environ.items() if not name.startswith(_DROPPED)}
        self._environ = {**kept, **_PIP_SETTINGS}
        self._progress = progress
        self._python_with_pip: Path | None = None

    @property
    def name(self) -> str:
        """The program that is tried first: `uv` or `pip`."""
        return "uv" if self._uv else "pip"

    def install(self, lock: Path, target: Path, work: Path) -> None:
        """Install and byte-compile all packages of a lock file.

        Args:
            lock: names every package with its hashes.
            target: the new folder to install into.
            work: a folder for what is needed meanwhile.

        Raises:
            InstallError: neither uv nor pip could.
        """
        options = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
        if not self._install_with_uv(
            [*options, "--target", str(target), "--requirement", str(lock)], work
        ):
            shutil.rmtree(target, ignore_errors=True)
            self._install_with_pip(options, lock, target, work)
        shutil.rmtree(target / "bin", ignore_errors=True)  # scripts: they know where they were made

    def check(self, imports: Sequence[str], folders: Sequence[Path]) -> None:
        """Import what was installed: a wheel may not fit this system after all.

        Raises:
            InstallError: with what Python says.
        """
        path = [str(folder) for folder in folders]
        code = f"import sys; sys.path[:0] = {path!r}; import {', '.join(imports)}"
        self._run([[str(self._python), "-I", "-S", "-c", code]], folders[0])

    def _install_with_uv(self, options: list[str], work: Path) -> bool:
        """Try uv; it may be too old, or lack the certificates or the index that pip knows."""
        if self._uv is None:
            return False
        ours = ["--no-python-downloads", "--python", str(self._python), "--compile-bytecode"]
        try:
            self._run([[self._uv, "pip", "install", *ours, "--no-progress", *options]], work)
        except InstallError:
            return False
        return True

    def _install_with_pip(self, options: list[str], lock: Path, target: Path, work: Path) -> None:
        """Install with several pips at once: each asks the index for one package after another."""
        pip = [*self._pip(work), "install", *_PIP_OPTIONS, *options]
        shares = [work / f"{target.name}-{number}" for number in range(_PIPS)]
        commands = []
        for share, lines in zip(shares, _split_lock(lock.read_text("utf-8"), _PIPS), strict=True):
            if lines:
                share.with_suffix(".lock").write_text(lines, "utf-8")
                what = ["--target", str(share), "--requirement", str(share.with_suffix(".lock"))]
                commands.append([*pip, *what])
        self._run(commands, work)
        for share in shares:
            if share.exists():
                _merge(share, target)

    def _pip(self, work: Path) -> list[str]:
        """Find a pip: the interpreter's own, else one in a virtual environment made for it."""
        if (python := self._python_with_pip) is None:
            try:
                self._run([[str(self._python), "-I", "-m", "pip", "--version"]], work)
                python = self._python
            except InstallError:
                python = self._make_pip(work / "pip")
            self._python_with_pip = python
        return [str(python), "-I", "-m", "pip"]

    def _make_pip(self, place: Path) -> Path:
        try:
            self._run([[str(self._python), "-I", "-m", "venv", str(place)]], place.parent)
        except InstallError as error:
            message = (
                f"there is no uv on the PATH, and {self._python} has no pip and can't make a"
                " virtual environment with one; install uv or your system's python3-venv"
            )
            raise InstallError(message) from error
        return place / "bin/python"

    def _run(self, commands: Sequence[Sequence[str]], folder: Path) -> None:
        """Run programs side by side to their end, their words in the log.

        In a folder of ours: a project's own settings for uv must not reach it.
        """
        with self._progress.log.open("ab") as log, ExitStack() as running:
            before = log.tell()
            processes = []
            for command in commands:
                log.write(f"$ {' '.join(command)}\n".encode("utf-8", "replace"))
                log.flush()
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=folder,
                    env=self._environ,
                )
                running.callback(_end, process)
                processes.append(process)
            while any(process.poll() is None for process in processes):
                self._progress.tick()
                time.sleep(_REDRAW_SECONDS)
        codes = [process.returncode for process in processes]
        if any(codes):
            reason = _reason(self._progress.log, before)
            raise InstallError(reason or f"it ended with {max(codes)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that we no longer wait for; nothing where it ended."""
    process.kill()
    process.wait()


def _split_lock(text: str, shares: int) -> list[str]:
    """Deal the requirements of a lock, with the lines of their hashes, to several locks."""
    requirements: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith((" ", "\t")):
            requirements[-1] += line
        elif not line.startswith("#") and line.strip():
            requirements.append(line)
    return ["".join(requirements[number::shares]) for number in range(shares)]


def _merge(source: Path, target: Path) -> None:
    """Move what is in one folder into another; both may have parts of a namespace package."""
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        place = target / entry.name
        if entry.is_dir() and place.exists():
            _merge(entry, place)
        else:
            entry.rename(place)


def _reason(log: Path, start: int) -> str:
    """Find the line of a program's output that says what went wrong."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode("utf-8", "replace").splitlines()
    told = [line.strip() for line in lines if line.strip()]
    errors = [line for line in told if "error" in line.lower() or "no space left" in line.lower()]
    return (errors or told or [""])[-1][:_REASON_CHARACTERS]
