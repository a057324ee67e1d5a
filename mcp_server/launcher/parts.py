"""Names the parts of an environment by what they are made from: the same inputs, the same folders.

    <data>/envs/
        libraries-<hash>/     packages of requirements.lock, for one Python
        model-<hash>/         packages of requirements-model.lock; empty until they are there
        model-<hash>.failed   why they are not
        team-<hash>/          packages of requirements-team.lock, where they were asked for
        <hash>/               an environment: the interpreter, the package, a .pth file that names
                              the folders above, and environment.json about itself
        building-<id>/        work in progress, or left by a build that was killed
        build.lock            held while anything here is made or removed

Several environments share their libraries: a changed package costs a copy, not an install.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pit_memory.errors import PitMemoryError

LAYOUT = "1"
"""Version of what is built; raise it when an environment built before no longer fits."""
LIBRARIES_LOCK = "requirements.lock"
MODEL_LOCK = "requirements-model.lock"
TEAM_LOCK = "requirements-team.lock"
PACKAGE = "mcp_server/pit_memory"

_HASH_DIGITS = 16


class IncompletePluginError(PitMemoryError):
    """A file of the plugin folder is missing."""


class Parts(NamedTuple):
    """Where the parts of an environment lie, or will."""

    libraries: Path
    model: Path
    team: Path
    """Optional: nothing stands there unless it was asked for."""
    environment: Path

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.environment / "bin/python"

    @property
    def model_failure(self) -> Path:
        """The file that says why the model is not there."""
        return self.model.with_suffix(".failed")

    @property
    def usable(self) -> bool:
        """True where it answers, at least by words."""
        return self.libraries.is_dir() and self.model.is_dir() and self.python.exists()

    @property
    def has_model(self) -> bool:
        """True where the model is installed."""
        return self.model.is_dir() and any(self.model.iterdir())

    @property
    def model_settled(self) -> bool:
        """True where the model is installed, or was found to be impossible to install."""
        return self.has_model or self.model_failure.exists()

    @property
    def complete(self) -> bool:
        """True where nothing is left to build."""
        return self.usable and self.model_settled


def name_parts(envs: Path, root: Path, package: Path) -> Parts:
    """Work out the parts that fit a plugin folder and this interpreter.

    Args:
        envs: the folder of all environments.
        root: the plugin folder, for its locks.
        package: the package's source; a copy names the same environment.

    Raises:
        IncompletePluginError: a lock or the package is missing.
    """
    base = base_python()
    try:
        libraries = _hash([LAYOUT.encode(), _python_tag(), (root / LIBRARIES_LOCK).read_bytes()])
        model = _hash([libraries.encode(), (root / MODEL_LOCK).read_bytes()])
        team = _hash([libraries.encode(), (root / TEAM_LOCK).read_bytes()])
        sources = list(_contents(package))
    except OSError as error:
        message = f"{error.filename} can't be read ({error.strerror}); install the plugin again"
        raise IncompletePluginError(message) from error
    interpreter = f"{base}\0{sys.version}"
    made_from = [text.encode() for text in (libraries, model, team, interpreter)]
    environment = _hash([*made_from, *sources])
    return Parts(
        envs / f"libraries-{libraries}",
        envs / f"model-{model}",
        envs / f"team-{team}",
        envs / environment,
    )


def base_python() -> Path:
    """Return the interpreter itself.

    Not a link that may point elsewhere tomorrow, nor a virtual environment its owner may delete.
    """
    base = getattr(sys, "_base_executable", None)
    return Path(base if base and os.access(base, os.X_OK) else sys.executable).resolve()


def _python_tag() -> bytes:
    """Tell apart what compiled packages tell apart."""
    abi = sysconfig.get_config_var("SOABI")
    return f"{sys.implementation.cache_tag} {abi} {sysconfig.get_platform()}".encode()


def _contents(package: Path) -> Iterable[bytes]:
    """Yield name and content of every file of the package, in a fixed order."""
    for folder, folders, files in os.walk(package, onerror=_raise):
        folders[:] = sorted(name for name in folders if is_source(name))
        for name in sorted(files):
            if is_source(name):
                path = Path(folder, name)
                yield os.fsencode(path.relative_to(package))
                yield path.read_bytes()


def is_source(name: str) -> bool:
    """Tell whether a file or folder of that name belongs to the package."""
    return name != "__pycache__" and not name.endswith(".pyc") and not name.startswith(".")


def _raise(error: OSError) -> None:
    raise error


def _hash(values: Iterable[bytes]) -> str:
    digest = sha256()
    for value in values:
        digest.update(b"%d\0" % len(value))  # where one ends and the next begins
        digest.update(value)
    return digest.hexdigest()[:_HASH_DIGITS]
