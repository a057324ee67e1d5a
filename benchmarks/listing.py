"""What a look costs before anything changed: list, stat and compare, beside the bare system calls.

Run by hand: `PYTHONPATH=mcp_server:. python benchmarks/listing.py`. Wall time depends on what else
the machine does; compare the lines of one run. CPU time is this process's own, without git's.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pit_memory.core.documents.freshness import plan
from pit_memory.sources.kept_listing import KeptListing
from pit_memory.sources.sieve import Rules
from pit_memory.sources.walker import list_source
from tests.builders import make_repository, write_files

SIZES = (5_000, 20_000)
ROUNDS = 25
LS_FILES = ("git", "-c", "core.fsmonitor=false", "ls-files", "-coz", "--exclude-standard")
SETTLE_SECONDS = 3.0
"""Until the times of what was written are old enough to be relied on."""
STEPS = (
    "scandir + stat",
    "first look, folder",
    "next look, folder",
    "ls-files + stat",
    "first look, git",
    "next look, git",
    "plan",
)


def bare_scandir(root: str) -> list[tuple[str, int, int]]:
    """Read folders and stat files, nothing else."""
    waiting, found = [""], []
    while waiting:
        folder = waiting.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{folder}{entry.name}/")
                else:
                    status = entry.stat(follow_symlinks=False)
                    found.append((folder + entry.name, status.st_size, status.st_mtime_ns))
    return found


def bare_git(root: str) -> list[tuple[str, int, int]]:
    """Let git list and stat the files, nothing else."""
    listed = subprocess.run(LS_FILES, cwd=root, capture_output=True, check=True).stdout.decode()
    statuses = ((path, os.lstat(f"{root}/{path}")) for path in listed.split("\0")[:-1])
    return [(path, status.st_size, status.st_mtime_ns) for path, status in statuses]


def main() -> None:
    """Print the least and the median of each step."""
    for size in SIZES:
        pages = {f"docs/{n % 25}/{n // 25 % 20}/{n}.md": f"# Page {n}\n" for n in range(size)}
        with tempfile.TemporaryDirectory() as place:
            folder = write_files(Path(place, "folder"), pages)
            work_tree = make_repository(Path(place, "git"), pages)
            seen = list_source(folder, Rules()).files
            known = {file.path: file for file in seen}
            known_to_git = {file.path: file for file in list_source(work_tree, Rules()).files}
            of_folder, of_git = KeptListing(), KeptListing()
            time.sleep(SETTLE_SECONDS)
            calls: tuple[Callable[[], object], ...] = (
                lambda: bare_scandir(str(folder)),  # noqa: B023 -- called within the loop
                lambda: list_source(folder, Rules()),  # noqa: B023
                lambda: list_source(folder, Rules(), known=known, kept=of_folder),  # noqa: B023
                lambda: bare_git(str(work_tree)),  # noqa: B023
                lambda: list_source(work_tree, Rules()),  # noqa: B023
                lambda: list_source(work_tree, Rules(), known=known_to_git, kept=of_git),  # noqa: B023
                lambda: plan(known, seen),  # noqa: B023
            )
            report(size, calls)


def report(size: int, calls: tuple[Callable[[], object], ...]) -> None:
    """Take turns, so that all steps meet the same load."""
    wall: list[list[float]] = [[] for _ in calls]
    cpu: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for number, call in enumerate(calls):
            started, used = time.perf_counter(), time.process_time()
            call()
            cpu[number].append((time.process_time() - used) * 1e3)
            wall[number].append((time.perf_counter() - started) * 1e3)
    for name, walls, cpus in zip(STEPS, wall, cpu, strict=True):
        walls.sort()
        cpus.sort()
        print(
            f"{size:6,} files  {name:20} wall {walls[0]:6.1f} / {walls[ROUNDS // 2]:6.1f} ms"
            f"   cpu {cpus[0]:6.1f} / {cpus[ROUNDS // 2]:6.1f} ms"
        )


if __name__ == "__main__":
    main()
