"""Files that were written and wait to be committed together."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pit_memory.workspace.files import make_data_folder, write_atomic
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import Places, waiting_commits


def waiting_files(where: Places, root: Path) -> tuple[Path, ...]:
    """Return the files of a project that wait, those alone that are still there."""
    try:
        text = waiting_commits(where, root).read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return ()
    return tuple(path for line in text.splitlines() if (path := Path(line)).is_file())


def let_wait(where: Places, root: Path, path: Path) -> None:
    """Let a file wait with the others.

    Raises:
        StorageFullError: it can't be noted.
        StoreBusyError: another process is at it for long.
    """
    with _lock(where, root):
        _write(where, root, [*waiting_files(where, root), path])


def wait_no_more(where: Places, root: Path, done: Iterable[Path]) -> None:
    """Forget files that were committed. Raises like `let_wait`."""
    gone = set(done)
    with _lock(where, root):
        _write(where, root, [path for path in waiting_files(where, root) if path not in gone])


def _lock(where: Places, root: Path) -> FileLock:
    file = waiting_commits(where, root)
    make_data_folder(file.parent)
    return FileLock(file.with_name(f"{file.name}.lock"))


def _write(where: Places, root: Path, paths: Iterable[Path]) -> None:
    file = waiting_commits(where, root)
    data = "".join(f"{path}\n" for path in paths).encode("utf-8", "surrogateescape")
    if data:
        write_atomic(file, data)
    else:
        with suppress(FileNotFoundError):
            file.unlink()
