"""The markdown parser for a hook: the environment's, or one small package installed for hooks.

The plugin's environment takes up to a minute to build, and a gate that doesn't check is none. So a
hook that is started before it exists installs the one package it needs: seconds, once a machine.
"""

import os
import sys
from pathlib import Path

from pit_memory.errors import PitMemoryError
from pit_memory.workspace.hook_libraries import add_libraries
from pit_memory.workspace.places import envs, places

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "pyromark=="
FAILED_SECONDS = 300
"""After a failed install hooks say "not checked" at once for so long: the network may be gone."""
NETWORK_SECONDS = "8"
"""For one answer of the package index: an agent waits for the hook."""


def ensure_parser() -> None:
    """Make `import pyromark` work.

    Raises:
        PitMemoryError: it can't be installed; the message says why.
    """
    if not (add_libraries() / "pyromark").is_dir():
        sys.path.append(str(_installed()))


def _installed() -> Path:
    """Return the folder of the package; install it where it is missing."""
    from hashlib import sha256

    requirement = _requirement((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    system = os.uname()
    python = f"{sys.implementation.cache_tag} {system.sysname} {system.machine}"
    name = sha256(f"{python}\n{requirement}".encode()).hexdigest()[:16]
    folder = envs(places(os.environ)) / f"libraries-parser-{name}"
    if folder.is_dir():
        os.utime(folder)  # what was not used for long is removed
    else:
        _install(requirement, folder)
    return folder


def _requirement(lock: str) -> str:
    """Cut the parser's lines, hashes included, out of the lock of all libraries."""
    start = lock.index(PACKAGE)
    lines = lock[start:].split("\n")
    last = next(at for at, line in enumerate(lines[1:], start=1) if not line.startswith(" "))
    return "\n".join(lines[:last]) + "\n"


def _install(requirement: str, folder: Path) -> None:
    import shutil
    import time

    sys.path.insert(0, str(ROOT / "mcp_server"))
    from launcher.packages import Installer, InstallError
    from launcher.parts import base_python
    from launcher.progress import Progress

    failed = folder.with_suffix(".failed")
    if failed.exists() and time.time() - failed.stat().st_mtime < FAILED_SECONDS:
        raise PitMemoryError(failed.read_text(encoding="utf-8"))
    work = folder.with_suffix(f".{os.getpid()}")
    work.mkdir(parents=True)
    environ = {
        **os.environ,
        "PIP_DEFAULT_TIMEOUT": NETWORK_SECONDS,
        "UV_HTTP_TIMEOUT": NETWORK_SECONDS,
    }
    try:
        with open(os.devnull, "w", encoding="utf-8") as nobody:  # noqa: PTH123 - a device
            lock = work / "parser.lock"
            lock.write_text(requirement, encoding="utf-8")
            Installer(base_python(), environ, Progress(work, nobody)).install(
                lock, work / "made", work
            )
        if not folder.exists():
            (work / "made").rename(folder)
    except InstallError as error:
        message = f"the markdown parser can't be installed ({error}); run `pit-memory status`"
        failed.write_text(message, encoding="utf-8")
        raise PitMemoryError(message) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
