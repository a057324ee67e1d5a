"""Count the documents below a folder, for a moment at most: before anything is indexed."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.text.plurals import counted
from pit_memory.errors import SourceError
from pit_memory.sources.sieve import LeftOut, Rules, Sieve, Tally
from pit_memory.workspace.files import reason

COUNT_SECONDS = 5.0
"""A folder that takes longer is a disk, and its count a guess."""


@dataclass(frozen=True, slots=True)
class Census:
    """How many documents there are by their names."""

    documents: int
    complete: bool
    """False where time was up; there are more."""
    left_out: tuple[LeftOut, ...] = ()

    def words(self) -> str:
        """What people read: `1,204 documents`."""
        return f"{'' if self.complete else 'more than '}{counted(self.documents, 'document')}"


def count_documents(root: Path, rules: Rules) -> Census:
    """Count by reading folders, on the root's own disk, symlinks not followed, git not asked.

    Raises:
        SourceError: the root can't be read.
        UsageError: a glob of the rules can't be read.
    """
    tally = Tally(with_endings=True)
    sieve = Sieve(rules, tally)
    ends = time.monotonic() + COUNT_SECONDS
    top = os.fspath(root).rstrip("/")
    found, waiting = 0, [""]
    try:
        device = root.stat().st_dev
        with os.scandir(root):
            pass
    except OSError as error:
        message = f"can't look into {root}: {reason(error)}"
        raise SourceError(message) from error
    while waiting and time.monotonic() < ends:
        folder = waiting.pop()
        files = []
        try:
            with os.scandir(f"{top}/{folder}") as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if not entry.is_dir(follow_symlinks=False):
                        files.append(path)
                    elif (
                        entry.name != ".git"
                        and sieve.enters(path)
                        and entry.stat(follow_symlinks=False).st_dev == device
                    ):
                        waiting.append(path)
        except OSError:
            tally.add("unreadable", folder + "/")
            continue
        found += len(sieve.documents(files))
    return Census(found, not waiting, tally.groups())
