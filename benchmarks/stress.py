"""Many sessions on one store: searchers, writers and a process that is killed again and again.

    python benchmarks/stress.py [--seconds 60] [--searchers 8] [--writers 2] [--corpus DIR]

Every process works as a session does: it looks, asks by words, reads what it found. A writer asks
for what it wrote at once. At the end everything that is on disk must be found, and nothing else.
Prints one line of figures; exits 1 where an answer was wrong, a document lost or a process failed.
"""

# ruff: noqa: S311 -- chance decides what happens when, not who may do it

import argparse
import json
import multiprocessing
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

from pit_memory.core.search.legs import KeywordTerms, SearchFilters
from pit_memory.core.source import Source
from pit_memory.operations.indexing.look import LookedStore, LookReport, look_and_ask
from pit_memory.operations.indexing.sync import sync
from pit_memory.stores.rows import ChunkRow
from pit_memory.stores.store import Store

STEADY_DOCUMENTS = 200
LETTERS = "bcdfghjklm"
"""Digits of made-up words: a word of letters alone is one token, and no stem of another."""
FILLER = "The service restarts when its lease expires and another replica takes over. " * 8


def steady_path(number: int) -> str:
    """Path of a document that nobody touches."""
    return f"steady/{number % 10}/page{number}.md"


def word(kind: str, *numbers: int) -> str:
    """A word that nothing else says."""
    digits = ["".join(LETTERS[int(digit)] for digit in str(number)) for number in numbers]
    return "q".join([kind, *digits, ""])


def page(title: str, token: str) -> str:
    """A document that says a word of its own in its second section."""
    return (
        f"# {title}\n\n{FILLER}\n\n## Details of {title}\n\nThe password of the day is {token}.\n"
    )


class Session:
    """One process at work on the store."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.source = Source("", str(root))
        self.store = Store.open(folder)
        self.figures: Counter[str] = Counter()
        self.mistakes: list[str] = []

    def ask(self, token: str) -> list[ChunkRow]:
        """Look, then return the chunks that answer a word and are in their file as they were."""

        def question(report: LookReport) -> list[ChunkRow]:
            self.figures["pending"] += report.pending_files > 0
            self.figures["notes"] += len(report.notes)
            filters = SearchFilters(collections=("docs",))
            ranked = self.store.keywords.rank(KeywordTerms((token,), ()), filters, 20)
            rows = self.store.catalogue.chunks([row_id for row_id, _ in ranked])
            self.figures["dead entries"] += len(ranked) - len(rows)
            return [rows[row_id] for row_id, _ in ranked if row_id in rows]

        began = time.perf_counter()
        found = look_and_ask([LookedStore(self.store, (self.source,))], question)
        self.figures["searches"] += 1
        self.figures["ms"] += round(1000 * (time.perf_counter() - began))
        return [row for row in found if self._is_shown(row)]

    def _is_shown(self, row: ChunkRow) -> bool:
        """Drop what changed since the look; what is left must be what the file says."""
        place = self.root / row.document.path
        try:
            before = place.stat()
            lines = place.read_text(encoding="utf-8").splitlines()
            after = place.stat()
        except FileNotFoundError:
            self.figures["dropped"] += 1
            return False
        stamps = {(before.st_size, before.st_mtime_ns), (after.st_size, after.st_mtime_ns)}
        if stamps != {(row.document.size, row.document.mtime_ns)}:
            self.figures["dropped"] += 1
            return False
        if "\n".join(lines[row.line_start - 1 : row.line_end]) != row.text:
            self.mistakes.append(f"stale: {row.document.path}:{row.line_start}-{row.line_end}")
        return True


def search(session: Session, number: int, stop: Event) -> None:
    """Ask for steady documents; each must be found, whatever the others do."""
    choose = random.Random(number)
    while not is_over(stop):
        wanted = choose.randrange(STEADY_DOCUMENTS)
        found = session.ask(word("steady", wanted))
        if steady_path(wanted) not in {row.document.path for row in found}:
            session.mistakes.append(f"searcher {number}: {steady_path(wanted)} was not found")


def write(session: Session, number: int, stop: Event) -> None:
    """Write, change, move and remove files, asking for each at once."""
    choose = random.Random(1000 + number)
    tokens: dict[str, str] = {}
    for turn in range(1_000_000):
        if is_over(stop):
            break
        action = choose.choice(("new", "new", "change", "move", "remove")) if tokens else "new"
        path = f"written/{number}/note{turn}.md"
        if action == "new":
            tokens[path] = word("fresh", number, turn)
            put(session.root / path, page(f"Note {turn}", tokens[path]))
        else:
            old = choose.choice(sorted(tokens))
            if action == "change":
                path, tokens[old] = old, word("changed", number, turn)
                put(session.root / path, page("Changed", tokens[path]))
            elif action == "move":
                (session.root / old).rename(session.root / path)
                tokens[path] = tokens.pop(old)
            else:
                (session.root / old).unlink()
                token = tokens.pop(old)
                if session.ask(token):
                    session.mistakes.append(f"writer {number}: {old} was removed and still answers")
                continue
        found = {row.document.path for row in session.ask(tokens[path])}
        if found != {path}:
            session.mistakes.append(f"writer {number}: {action} {path}, found {sorted(found)}")
        session.figures["writes"] += 1


def suffer(session: Session, number: int, stop: Event) -> None:
    """Write many files at once and sync them, until killed."""
    turn = time.time_ns()
    while not is_over(stop):
        for each in range(20):
            path = session.root / f"victim/{number}/part{each}.md"
            put(path, page(f"Part {each}", word("victim", each, turn)))
        sync(session.store, [session.source])
        turn += 1


def is_over(stop: Event) -> bool:
    """Tell whether the time is up, or whoever began this was killed."""
    parent = multiprocessing.parent_process()
    return stop.is_set() or parent is None or not parent.is_alive()


def put(path: Path, text: str) -> None:
    """Write a file whole, as editors do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text(text, encoding="utf-8")
    beside.rename(path)


def run(
    work: Callable[[Session, int, Event], None],
    number: int,
    folders: tuple[Path, Path],
    stop: Event,
    out: Path,
) -> None:
    """Run one process; leave its figures in a file."""
    session = Session(*folders)
    try:
        work(session, number, stop)
    except BaseException:  # noqa: BLE001 -- whatever ends a process is what we look for
        session.mistakes.append(traceback.format_exc())
    session.store.close()
    out.write_text(json.dumps([session.figures, session.mistakes]), encoding="utf-8")


def check_everything(root: Path, folder: Path) -> list[str]:
    """Compare files, catalogue and keyword index at the end."""
    session = Session(root, folder)
    sync(session.store, [session.source])
    catalogue = session.store.catalogue
    on_disk = {path.relative_to(root).as_posix() for path in root.rglob("*.md")}
    indexed = {path for _, path in catalogue.paths().values()}
    mistakes = [f"lost: {path}" for path in sorted(on_disk - indexed)]
    mistakes += [f"dead: {path}" for path in sorted(indexed - on_disk)]
    expected = frozenset(row[0] for row in catalogue.embed_hashes())
    held = session.store.keywords.held()
    if held != expected:
        mistakes.append(f"keyword index: {len(held)} chunks, catalogue: {len(expected)}")
    for path in sorted(path for path in on_disk if path.startswith(("written/", "victim/"))):
        token = (root / path).read_text(encoding="utf-8").rpartition("is ")[2].rstrip(".\n")
        if [row.document.path for row in session.ask(token)] != [path]:
            mistakes.append(f"not found at the end: {path}")
    session.store.close()
    return mistakes + session.mistakes


def main() -> int:
    """Run everything for the time asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--searchers", type=int, default=8)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--corpus", type=Path, help="documents to index beside our own")
    asked = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="pit-memory-stress-"))
    root, folder = base / "tree", base / "store"
    for number in range(STEADY_DOCUMENTS):
        put(root / steady_path(number), page(f"Page {number}", word("steady", number)))
    if asked.corpus:
        shutil.copytree(asked.corpus, root / "corpus")
    store = Store.open(folder)
    sync(store, [Source("", str(root))])
    store.close()

    spawn = multiprocessing.get_context("spawn")  # never fork after a Tantivy writer
    stop = spawn.Event()
    works = [(search, asked.searchers), (write, asked.writers)]
    outs = [base / f"{work.__name__}{n}.json" for work, count in works for n in range(count)]
    processes = [
        spawn.Process(
            target=run, args=(work, n, (root, folder), stop, base / f"{work.__name__}{n}.json")
        )
        for work, count in works
        for n in range(count)
    ]
    for process in processes:
        process.start()
    ends = time.monotonic() + asked.seconds
    kills = 0
    while time.monotonic() < ends:
        victim = spawn.Process(
            target=run, args=(suffer, 0, (root, folder), stop, base / "victim.json")
        )
        victim.start()
        time.sleep(random.uniform(0.3, 3.0))
        victim.kill()
        victim.join()
        kills += victim.exitcode == -signal.SIGKILL
    stop.set()
    for process in processes:
        process.join(60)
    figures: Counter[str] = Counter()
    mistakes = [f"{out.name} is missing: its process died" for out in outs if not out.exists()]
    for out in (out for out in outs if out.exists()):
        counted, wrong = json.loads(out.read_text(encoding="utf-8"))
        figures.update(counted)
        mistakes += wrong
    if (base / "victim.json").exists():
        mistakes += json.loads((base / "victim.json").read_text(encoding="utf-8"))[1]
    mistakes += check_everything(root, folder)
    shutil.rmtree(base)
    mean = figures["ms"] / max(1, figures["searches"])
    print(f"{dict(figures)}, {kills} kills, {mean:.0f} ms a search, {len(mistakes)} mistakes")
    for line in mistakes[:20]:
        print(line, file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
