"""Measure a write, from the call to "retrievable": `python benchmarks/write.py [--words-only]`.

Makes a repository with 1,000 files and writes references one after the other through the services
that the MCP server calls, in one process as the server does. Prints p50 and p95 beside their
bounds, where the time goes, and what an fsync of this disk costs: a write waits for several.
"""

import argparse
import contextlib
import os
import random
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measuring import fsync_seconds, quantiles
from server import SYLLABLES

from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.operations.writing import read_back, write
from pit_memory.wiring import open_services

FILES = 1_000
WRITES = 60
WARM_UP = 5
PAUSE_SECONDS = 1.0
"""Between two writes: an agent works in between, and merges of the keyword index end."""
FSYNCS = 50
STEPS = {
    "look": write,
    "near_duplicates": write,
    "write_new": write,
    "commit_files": write,
    "index_paths": read_back,
    "search": read_back,
}
"""What a write calls, and the module that calls it."""


def make_repository(root: Path, dice: random.Random) -> None:
    """Write and commit pages of invented words."""
    for number in range(FILES):
        folder = root / f"docs/part{number // 50:02}"
        folder.mkdir(parents=True, exist_ok=True)
        sections = "".join(f"\n## {words(dice, 3)}\n\n{words(dice, 60)}.\n" for _ in range(3))
        (folder / f"page{number:04}.md").write_text(f"# {words(dice, 3)}\n{sections}")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *command], cwd=root, check=True)


def words(dice: random.Random, count: int) -> str:
    """Some invented words."""
    return " ".join("".join(dice.choices(SYLLABLES, k=3)) for _ in range(count))


@contextlib.contextmanager
def timed_steps() -> Iterator[dict[str, float]]:
    """Count the seconds of each step of a write."""
    spent: dict[str, float] = defaultdict(float)
    originals = {name: getattr(module, name) for name, module in STEPS.items()}

    def timed(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: object, **more: object) -> object:
            begin = time.perf_counter()
            try:
                answer = step(*arguments, **more)
                return list(answer) if name == "near_duplicates" else answer
            finally:
                spent[name] += time.perf_counter() - begin

        return call

    for name, step in originals.items():
        setattr(STEPS[name], name, timed(name, step))
    try:
        yield spent
    finally:
        for name, step in originals.items():
            setattr(STEPS[name], name, step)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--words-only", action="store_true", help="without the model")
    parser.add_argument("--folder", type=Path, help="where to put everything, to choose the disk")
    parser.add_argument("--pause", type=float, default=PAUSE_SECONDS, help="seconds [1.0]")
    options = parser.parse_args()
    dice = random.Random(7)  # noqa: S311 - the same project every time
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        root = Path(scratch, "project")
        environ = {**os.environ, "PIT_MEMORY_DATA": f"{scratch}/data"}
        environ["PIT_MEMORY_CONFIG"] = f"{scratch}/config"
        if options.words_only:
            environ["PIT_MEMORY_EMBEDDING_PROVIDER"] = "none"
        make_repository(root, dice)
        load = os.getloadavg()[0]
        print(
            f"{FILES} files, words only: {options.words_only}, "
            f"a write every {options.pause:g} s, load {load:.1f}"
        )
        print(f"fsync of 4 kB: {quantiles(fsync_seconds(Path(scratch), FSYNCS))}")
        with open_services(root, environ=environ, background="thread") as services:
            services.sync()
            services.finish_meaning()
            times = []
            with timed_steps() as spent:
                for number in range(WARM_UP + WRITES):
                    if number == WARM_UP:
                        spent.clear()
                        processor = time.process_time()
                        children = os.times().children_user + os.times().children_system
                    request = WriteRequest(f"{words(dice, 40)}.", "reference", words(dice, 4))
                    time.sleep(options.pause)
                    begin = time.perf_counter()
                    receipt = services.write(request)
                    times.append(time.perf_counter() - begin)
                    assert receipt.is_retrievable, receipt
                    assert receipt.commit.state == "committed", receipt
            processor = time.process_time() - processor
            children = os.times().children_user + os.times().children_system - children
        print(f"write to retrievable: {quantiles(times[WARM_UP:])} (bounds p50 250, p95 600 ms)")
        print(
            f"processor time a write: {processor / WRITES * 1e3:.0f} ms here, "
            f"{children / WRITES * 1e3:.0f} ms in git"
        )
        for name, seconds in sorted(spent.items(), key=lambda item: -item[1]):
            print(f"  {name:16} {seconds / WRITES * 1e3:6.1f} ms")


if __name__ == "__main__":
    main()
