"""How many facts of an assignment wait for review: a number left for the start of a session.

A hook has no time to read facts. So whoever changes them leaves a file with their number, and none
where nothing waits. It is a hint: `facts review` reads the facts.
"""

from pathlib import Path

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.workspace.files import make_data_folder, read_bytes, write_atomic

_MOST_BYTES = 100


def read_proposed_count(folder: Path, assignment: str) -> int:
    """Read what was left; 0 where nothing was.

    Args:
        folder: of all these files.
        assignment: whose.

    Raises:
        OSError, ValueError: the file can't be read, or holds no number.
    """
    try:
        return int(read_bytes(folder / assignment_folder(assignment), _MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return 0


def leave_proposed_count(folder: Path, assignment: str, count: int) -> None:
    """Leave a number.

    Raises:
        StorageFullError: it can't be written.
    """
    file = folder / assignment_folder(assignment)
    if count:
        make_data_folder(folder)
        write_atomic(file, f"{count}\n".encode())
    else:
        file.unlink(missing_ok=True)
