"""A vault of 10,000 notes and a book of 2,000 pages: when they answer, when a change is right.

    python benchmarks/vault.py CORPUS [--copies 85] [--pages 2000]

CORPUS is a vault in a tar file, as `corpus.tar.gz` of a set of `benchmarks/retrieval.py`; the notes
are copies of its own. Commands run as a person runs them, each a process; the questions about
changes are asked in one process, as a server does. Only a temporary folder is touched.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "mcp_server"), str(ROOT)]

from pit_memory.operations.searching.search import SearchRequest  # noqa: E402 -- after the import root is known
from pit_memory.operations.services import Services  # noqa: E402
from pit_memory.sources.formats import RawFile, read_contents  # noqa: E402
from pit_memory.sources.pdf_process import PDF_PROCESS  # noqa: E402
from pit_memory.wiring import open_services  # noqa: E402
from tests.pdf_builder import make_pdf  # noqa: E402

QUESTION = "how are tasks sorted by priority"
ALL_WORDS_SECONDS = 600
POLL_SECONDS = 3.0
"""Between two searches while the background indexes: each takes half a second of the machine."""


def main() -> None:
    """Measure, print one line each."""
    parser = argparse.ArgumentParser(description="Measure a large vault and a long book.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--copies", type=int, default=85)
    parser.add_argument("--pages", type=int, default=2_000)
    options = parser.parse_args()
    _measure_pdf(options.pages)  # first: the memory of children is that of the largest so far
    with tempfile.TemporaryDirectory(prefix="vault-") as folder:
        home = Path(folder)
        vault = _make_vault(home / "Vault", options.corpus, options.copies)
        os.environ.update(HOME=folder, PIT_MEMORY_DATA=str(home / "data"))
        os.environ["XDG_CONFIG_HOME"] = str(home / "config")
        os.chdir(home)
        before = _tree_hash(vault)
        _measure_start(vault)
        _measure_index(home)
        with open_services(None, background="none") as services:
            services.search(SearchRequest(QUESTION))
        is_same = _tree_hash(vault) == before
        print(f"names, bytes and times of the vault: {'as before' if is_same else 'CHANGED'}")
        with open_services(None, background="none") as services:
            _measure_changes(services, vault)
        before = _tree_hash(vault)
        _command("docs", "remove", vault.name)
        is_same = _tree_hash(vault) == before
        print(f"after docs remove: {'as before' if is_same else 'CHANGED'}")


def _make_vault(vault: Path, corpus: Path, copies: int) -> Path:
    with tarfile.open(corpus) as archive:
        archive.extractall(vault.parent / "one", filter="data")
    notes = [it for it in (vault.parent / "one").rglob("*.md") if it.is_file()]
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian/app.json").write_text("{}")
    for copy in range(copies):
        for note in notes:
            target = vault / f"copy {copy:02}" / note.relative_to(vault.parent / "one")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(note.read_bytes())
    print(f"{len(notes) * copies:,} notes")
    return vault


def _tree_hash(folder: Path) -> str:
    """Names, bytes, modes and times of everything below a folder."""
    seen = hashlib.sha256()
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        seen.update(f"{place}\0{status.st_mode} {status.st_mtime_ns}\0".encode())
        if place.is_file():
            seen.update(place.read_bytes())
    return seen.hexdigest()


def _command(*arguments: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "mcp_server")}
    command = [sys.executable, "-m", "pit_memory", *arguments]
    return subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout


def _measure_start(vault: Path) -> None:
    began = time.monotonic()
    print(_command("docs", "add", str(vault)).splitlines()[0])
    added = time.monotonic()
    first = json.loads(_command("search", QUESTION, "--json"))
    answered = time.monotonic()
    print(
        f"docs add {added - began:.2f} s, first answer {answered - added:.2f} s later: "
        f"{len(first['hits'])} hits, {first['pending_files']:,} files not indexed yet"
    )
    pending = first["pending_files"]
    while pending and time.monotonic() - began < ALL_WORDS_SECONDS:
        time.sleep(POLL_SECONDS)
        pending = json.loads(_command("search", QUESTION, "--json"))["pending_files"]
    left = f"{pending:,} files NOT" if pending else "all words"
    print(
        f"{left} indexed {time.monotonic() - began:.1f} s after docs add began, in the background"
    )
    print(_command("docs", "list"))


def _measure_index(home: Path) -> None:
    """The whole index once more, at usual priority and with nothing before it."""
    os.environ["PIT_MEMORY_DATA"] = str(home / "other data")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    _command("docs", "sync")
    seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(f"docs sync from nothing: {seconds:.1f} s, {busy:.1f} s of processor time")


def _measure_changes(services: Services, vault: Path) -> None:
    note = vault / "copy 00/Brand new.md"

    def right(what: str, expected: int) -> None:
        began = time.monotonic()
        answer = services.search(SearchRequest("xylophonist quagga", mode="keyword"))
        seconds = time.monotonic() - began
        hits = [hit for hit in answer.hits if hit.path.endswith(note.name)]
        state = "right" if len(hits) == expected else "WRONG"
        print(f"{what}: {state} in the next search, {seconds:.2f} s")
        time.sleep(0.3)  # beyond what a look is good for

    right("warm", 0)
    note.write_text("# Brand new\n\nA xylophonist quagga.\n")
    right("new note", 1)
    note.write_text("# Brand new\n\nNothing of the kind.\n")
    right("changed note", 0)
    note.write_text("# Brand new\n\nAgain a xylophonist quagga.\n")
    right("changed note", 1)
    note.unlink()
    right("deleted note", 0)


def _measure_pdf(pages: int) -> None:
    lines = [f"Line {n} says that the gibbon eats figs at dawn with {n} others" for n in range(45)]
    data = make_pdf([[f"Page {page}", *lines] for page in range(pages)])
    began = time.monotonic()
    found = read_contents(RawFile("book.pdf", data))
    seconds = time.monotonic() - began
    PDF_PROCESS.end()
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(
        f"PDF of {len(found.document.sections):,} pages, {len(data) / 1e6:.0f} MB: {seconds:.1f} s,"
        f" {pages / seconds:.0f} pages a second, {child} MB of memory at most in its process"
    )


if __name__ == "__main__":
    main()
