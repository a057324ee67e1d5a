"""Which folders of a work tree have to stay as they are for git to print the same."""

import os
from dataclasses import dataclass, field

from pit_memory.sources.sieve import Rules, Sieve, Tally
from pit_memory.workspace.git_rules import IGNORE_FILE


@dataclass(frozen=True, slots=True)
class WatchedFolders:
    """Folders, ignored ones among them, and what is in them; paths are relative to the root."""

    folders: list[str] = field(default_factory=list)
    ignore_files: list[str] = field(default_factory=list)


def folders_to_watch(root: str, rules: Rules, most: int) -> WatchedFolders | None:
    """Find every folder where something new could be a document or say what is ignored.

    None where there are more than that, where one can't be read, where another tree of git's lies
    among them, and where ignore rules are behind a symlink.

    Args:
        root: absolute.
        rules: a folder that they leave out by its name needs no watch.
        most: so many folders, and ten times as many entries.
    """
    entries_left = 10 * most
    sieve = Sieve(rules, Tally())
    found, waiting = WatchedFolders(), [""]
    while waiting:
        folder = waiting.pop()
        found.folders.append(folder)
        prefix = folder + "/" if folder else ""
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                for entry in entries:
                    entries_left -= 1
                    path = prefix + entry.name
                    if entry.name == ".git" and folder:
                        return None
                    if entry.name == IGNORE_FILE:
                        if not entry.is_file(follow_symlinks=False):
                            return None
                        found.ignore_files.append(path)
                    elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                        waiting += [path] if sieve.enters(path) else []
        except OSError:
            return None
        if len(found.folders) + len(waiting) > most or entries_left < 0:
            return None
    return found
