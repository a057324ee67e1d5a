"""The project a hook is about, as `hooks/launch` found it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.records import NamedTuple
from pit_memory.workspace.compiled_push import CompiledPush, read_compiled
from pit_memory.workspace.places import Places, places

PLUGIN = Path(__file__).resolve().parents[1]


class Project(NamedTuple):
    """A project and the person who works on it."""

    root: Path
    """Symlinks resolved."""
    where: Places
    environ: Mapping[str, str]

    def push_memory(self, native: str | None = None) -> CompiledPush:
        """Return the project's push memory, compiled anew where something of it changed.

        Args:
            native: the client's own memory folder; None where a start of a session has said it.
        """
        compiled = read_compiled(self.where, self.root, self.environ)
        if compiled and native in {None, compiled.native}:
            return compiled
        from pit_memory.workspace.push_memory import compile_push_memory

        return compile_push_memory(self.root, self.where, self.environ, PLUGIN, native)


def asked_project() -> Project:
    """Return the project that the launcher named.

    Raises:
        SettingsError: a variable names no usable folder.
    """
    environ = {"HOME": os.path.expanduser("~"), **os.environ}  # noqa: PTH111 - it may be unset
    return Project(Path(sys.argv[1]), places(environ), environ)
