"""Push memory of a project, compiled to one file: all that hooks need of it, ready to be used.

Its first lines are for `hooks/launch`, which decides in sh whether a call needs a hook at all: the
tools that triggers are about, the client's own memory folder, the project's memory folder. The
rest is for the hooks. It bears a stamp of everything it was made from, so a hook reads entries and
settings only where one of them changed.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pit_memory import __version__
from pit_memory.core.push.triggers import Trigger, tool_names
from pit_memory.core.records import NamedTuple
from pit_memory.workspace.places import Places, compiled_push

HOME_VARIABLE, BUDGET_VARIABLE = "PIT_MEMORY_MEMORY_HOME", "PIT_MEMORY_PUSH_BUDGET"
"""Of the environment: the settings of push memory may come from them."""


class CompiledPush(NamedTuple):
    """What hooks need of a project's push memory."""

    session: str
    """The block of a session; empty where there is nothing to say."""
    subagent: str
    """The block of a subagent."""
    triggers: tuple[Trigger, ...]
    native: str
    """The client's own memory folder; empty where none is known."""
    home: str
    """The project's memory folder, absolute."""
    made_from: tuple[str, ...]
    """Files and folders whose content it is, absolute; they need not exist."""
    stamp: str
    """Of those, taken before they were read."""


def read_compiled(where: Places, root: Path, environ: Mapping[str, str]) -> CompiledPush | None:
    """Read what was compiled; None where that is not there, or not up to date any more."""
    try:
        fields = json.loads(_lines(where, root)[-1])
        rows = fields.pop("triggers")
        compiled = CompiledPush(**fields, triggers=tuple(Trigger(*row) for row in rows))
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return compiled if compiled.stamp == stamp_of(compiled.made_from, environ) else None


def known_native(where: Places, root: Path) -> str:
    """Return the client's own memory folder, as the last start of a session found it."""
    try:
        return _lines(where, root)[1]
    except (OSError, LookupError):
        return ""


def known_patterns(where: Places, root: Path) -> dict[str, str]:
    """Patterns of triggers that the last compilation found good, and the text that each needs.

    To look at a hundred patterns again takes longer than to read their entries. Another version
    may judge otherwise, so what it compiled tells nothing.
    """
    try:
        fields = json.loads(_lines(where, root)[-1])
        if json.loads(fields["stamp"])[0] != __version__:
            return {}
        triggers = [Trigger(*row) for row in fields["triggers"]]
    except (OSError, ValueError, TypeError, LookupError):
        return {}
    return {trigger.pattern: trigger.needed for trigger in triggers}


def write_compiled(where: Places, root: Path, compiled: CompiledPush) -> None:
    """Leave what was compiled for the hooks to come.

    Raises:
        StorageFullError: it can't be written.
    """
    from pit_memory.workspace.files import make_data_folder, write_atomic

    lines = (
        " ".join(tool_names(compiled.triggers)),
        _one_line(compiled.native),
        _one_line(compiled.home),
        json.dumps(compiled._asdict()),
    )
    path = compiled_push(where, root)
    make_data_folder(path.parent)
    write_atomic(path, "\n".join(lines).encode("utf-8", "surrogateescape"))


def stamp_of(paths: Iterable[str], environ: Mapping[str, str]) -> str:
    """A short text that changes when a file, or one in a folder, comes, goes or changes."""
    said = [__version__, *(environ.get(name, "") for name in (HOME_VARIABLE, BUDGET_VARIABLE))]
    return json.dumps([*said, *map(_stamp, paths)])


def _stamp(path: str) -> list[int]:
    """Numbers that change with a file, or with the files of a folder; none where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - a Path would cost as much as the question
        numbers = [status.st_mtime_ns, status.st_size, status.st_ino]
        if not os.path.isdir(path):  # noqa: PTH112 - as above
            return numbers
        files = times = sizes = 0
        with os.scandir(path) as entries:
            for entry in entries:
                try:
                    status = entry.stat()
                except OSError:  # a symlink to nothing
                    continue
                files, times, sizes = files + 1, times + status.st_mtime_ns, sizes + status.st_size
    except OSError:
        return []
    return [*numbers, files, times, sizes]


def _lines(where: Places, root: Path) -> list[str]:
    text = compiled_push(where, root).read_text(encoding="utf-8", errors="surrogateescape")
    return text.split("\n")


def _one_line(path: str) -> str:
    return "" if "\n" in path else path
