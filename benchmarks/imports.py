"""Measure the import of a large export of issues: tried, for real, again, and the first search.

    python benchmarks/imports.py [--issues 100000]

Makes an export of GitHub's form with texts of 1.3 kB, and a repository to import it into, both
below the system's folder for temporary files. Prints processor time, time of the clock and memory
of each command, the children it waits for included, then when the indexing behind was done.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "mcp_server"
CHANCE = random.Random(1)  # noqa: S311 -- test data
WORDS = ["checkout", "payment", "database", "pool", "timeout", "retry", "queue", "worker", "node"]
WORDS += ["disk", "memory", "certificate", "expired", "restart", "deploy", "rollback", "latency"]
WORDS += ["customer", "login", "region", "cache", "replica", "failover", "kernel", "socket", "dns"]
PAUSE_SECONDS = 20
SECTIONS = ("Summary", "Impact", "Root cause", "Resolution", "Timeline", "Action items")


def main() -> None:
    """Print a row a command."""
    parser = argparse.ArgumentParser(description="Measure the import of a large export.")
    parser.add_argument("--issues", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pit-memory-imports-") as scratch:
        export = Path(scratch, "issues.json")
        with export.open("w") as file:
            file.writelines(parts(options.issues))
        print(f"{options.issues:,} issues, {export.stat().st_size / 1e6:.0f} MB")
        root = Path(scratch, "shop")
        environment = {**os.environ, "PIT_MEMORY_DATA": f"{scratch}/data", **identity()}
        environment["PIT_MEMORY_EMBEDDING_PROVIDER"] = "none"
        subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        print("| command | processor s | clock s | most memory MB | said last |")
        print("|---|--:|--:|--:|---|")
        words, question = ("import", str(export)), ("search", "expired certificate")
        for command in ((*words, "--dry-run"), words, words, question):
            print(run((*command, "--root", str(root)), environment), flush=True)
        began = time.monotonic()
        while run((*question, "--root", str(root)), environment).endswith("not indexed yet |"):
            time.sleep(PAUSE_SECONDS)
        print(f"all indexed {time.monotonic() - began:.0f} s after the first answer")


def run(words: tuple[str, ...], environment: dict[str, str]) -> str:
    """Run a command; the table's row of it."""
    command = [sys.executable, "-m", "pit_memory", "incidents", *words]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, cwd=PACKAGE, env=environment, stdout=out, stderr=out)
        _, _, used = os.wait4(process.pid, 0)
        out.seek(0)
        said = out.read().strip().rpartition("\n")[2]
    took = time.monotonic() - began
    name = f"{words[0]} {words[2]}" if words[2] == "--dry-run" else words[0]
    worked, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return f"| {name} | {worked:.1f} | {took:.0f} | {memory:.0f} | {said} |"


def parts(count: int) -> Iterator[str]:
    """The export, in pieces."""
    for number in range(1, count + 1):
        yield ("[" if number == 1 else ",\n") + json.dumps(issue(number))
    yield "]"


def issue(number: int) -> dict[str, object]:
    """A closed issue of an incident."""
    day = f"20{18 + number % 7}-{1 + number % 12:02d}-{1 + number % 28:02d}"
    told = [f"## {name}\n\n{sentence(14)} {sentence(12)}" for name in SECTIONS]
    told.append(f"```\nERROR {day}T10:00:00Z {sentence(9)} id={CHANCE.getrandbits(128):032x}\n```")
    return {
        "number": number,
        "title": f"{sentence(6)} {number % 9000}",
        "body": "\n\n".join(told),
        "labels": [{"name": "incident"}, {"name": f"service: {CHANCE.choice(WORDS)}"}],
        "created_at": f"{day}T10:00:00Z",
        "closed_at": f"{day}T12:00:00Z",
        "updated_at": f"{day}T13:00:00Z",
        "html_url": f"https://github.com/acme/shop/issues/{number}",
        "state": "closed",
    }


def sentence(count: int) -> str:
    """So many words."""
    return " ".join(CHANCE.choices(WORDS, k=count)).capitalize()


def identity() -> dict[str, str]:
    """Who commits."""
    roles = ("AUTHOR", "COMMITTER")
    return {f"GIT_{role}_{part}": "a@b.example" for role in roles for part in ("NAME", "EMAIL")}


if __name__ == "__main__":
    main()
