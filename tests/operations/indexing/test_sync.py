import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from pit_memory.core.source import Source
from pit_memory.errors import StoreBusyError
from pit_memory.operations.indexing.look import LookedStore, Looker
from pit_memory.operations.indexing.sync import index_paths, sync
from pit_memory.stores.keyword_index import KeywordIndex
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.index_builders import disagreement, found, look_at, tree
from tests.machine import children
from tests.patience import comes_true


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def many(count: int, text: str = "lease") -> dict[str, str]:
    return {
        f"f{n % 7}/p{n}.md": f"# Page {n}\n\n{text} {n}\n\n## More\n\nOf {n}.\n"
        for n in range(count)
    }


def embedded(store: Store) -> dict[str, set[bytes]]:
    """What is embedded of each document, by path."""
    paths = store.catalogue.paths()
    hashes: dict[str, set[bytes]] = {}
    for _, document, embed_hash in store.catalogue.embed_hashes():
        hashes.setdefault(paths[document][1], set()).add(embed_hash)
    return hashes


def test_a_sync_indexes_everything_and_counts_it(store: Store, root: Path):
    source = tree(
        root, many(120) | {"bad.md": "---\ntitle: [\n---\n# Bad\n\nlease\n", "x.png": b"\x89"}
    )
    told: list[tuple[int, int]] = []

    report = sync(store, [source], progress=lambda done, total: told.append((done, total)))

    assert (report.added, report.unchanged, report.problems, report.left_out) == (121, 0, 1, 1)
    assert told[-1] == (121, 121)
    assert len(found(store, "lease")) == 121
    again = sync(store, [source])
    assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, 121)


def test_many_small_sources_share_a_commit_of_the_keyword_index(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    sources = [
        Source(f"s{n}", tree(root / str(n), {f"{n}.md": f"# Page\n\nlease {n}\n"}).root)
        for n in range(60)
    ]
    commits = []
    apply = KeywordIndex.apply

    def counted(index: KeywordIndex, *given, **named) -> None:
        commits.append(index)
        apply(index, *given, **named)

    monkeypatch.setattr(KeywordIndex, "apply", counted)

    assert sync(store, sources).added == 60

    assert len(commits) == 1
    assert len(found(store, "lease")) == 60


def test_a_renamed_folder_keeps_every_chunk_also_where_a_look_gets_half_way(
    store: Store, root: Path
):
    source = tree(root, {f"old/p{n}.md": f"lease number {n} of many\n" for n in range(150)})
    sync(store, [source])
    before = set().union(*embedded(store).values())
    (root / "old").rename(root / "new")

    assert look_at(store, source).pending_files > 0
    report = sync(store, [source])

    assert report.removed == 0
    assert set(embedded(store)) == {f"new/p{n}.md" for n in range(150)}
    assert set().union(*embedded(store).values()) == before
    assert disagreement(store) == []


def test_swapped_and_copied_files_end_up_as_they_are(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n", "b.md": "# B\n\nquota\n"})
    sync(store, [source])
    (root / "a.md").rename(root / "c.md")
    (root / "b.md").rename(root / "a.md")
    (root / "copy.md").write_bytes((root / "a.md").read_bytes())

    sync(store, [source])

    assert found(store, "lease") == ["c.md"]
    assert set(found(store, "quota")) == {"a.md", "copy.md"}
    assert disagreement(store) == []


def test_full_reads_every_file_again_whatever_its_times_say(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease one\n"})
    os.utime(root / "a.md", ns=(5, 5))
    sync(store, [source])
    generation = store.catalogue.generation()

    assert sync(store, [source], full=True).changed == 1
    assert store.catalogue.generation() > generation
    assert found(store, "lease") == ["a.md"]


def test_a_single_file_is_indexed_without_a_look_at_the_rest(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n", "b.md": "# B\n\nlease\n"})

    index_paths(store, source, ["b.md"])
    assert found(store, "lease") == ["b.md"]

    (root / "b.md").unlink()
    index_paths(store, source, ["b.md"])
    assert found(store, "lease") == []


def test_a_sync_that_finds_another_at_work_waits_and_then_gives_up(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n"})
    other = Store.open(store.folder)
    with other.sync_lock, pytest.raises(StoreBusyError, match=r"sync\.lock"):
        sync(store, [source], wait_seconds=0.02)

    assert sync(store, [source], wait_seconds=0.02).added == 1
    other.close()


def test_much_text_is_read_in_a_child_with_the_same_result(store: Store, tmp_path: Path):
    files = many(60, "lease " * 6_000)
    source = tree(tmp_path / "tree", files)
    assert sum(map(len, files.values())) > 2_000_000
    with_child = sync(store, [source])
    alone = Store.open(tmp_path / "alone")
    index_paths(alone, source, [*files])

    assert with_child.added == 60
    assert embedded(store) == embedded(alone)
    assert disagreement(store) == []
    alone.close()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for children")
def test_a_child_that_is_killed_costs_nothing_but_time(store: Store, root: Path):
    source = tree(root, many(300, "lease " * 2_000))
    killed = threading.Event()
    others = children()

    def kill_child() -> None:
        def is_killed() -> bool:
            for child in children() - others:
                with suppress(ProcessLookupError):  # it has just ended
                    os.kill(child, 9)
                    killed.set()
            return killed.is_set()

        comes_true(is_killed)

    killer = threading.Thread(target=kill_child)
    killer.start()
    report = sync(store, [source])
    killer.join()

    assert killed.is_set()
    assert report.added == 300
    assert disagreement(store) == []


def test_threads_search_one_store_while_another_syncs_it(store: Store, root: Path):
    """As the server does: questions in worker threads, a large change in the background."""
    source = tree(root, many(40))
    sync(store, [source])
    looker = Looker()
    stop = threading.Event()

    def search(_: int) -> int:
        asked = 0
        while not stop.is_set():
            looker.look([LookedStore(store, (source,))])
            assert len(found(store, "lease")) >= 40
            asked += 1
        return asked

    with ThreadPoolExecutor(4) as pool:
        searches = pool.map(search, range(3))
        write_files(root, {f"more/{n}.md": f"# More {n}\n\nlease\n" for n in range(200)})
        try:
            sync(store, [source])
        finally:
            stop.set()
        assert all(asked > 0 for asked in searches)

    assert len(found(store, "lease")) == 240
    assert disagreement(store) == []


SYNC_ONCE = """
import sys
from pathlib import Path
from pit_memory.core.source import Source
from pit_memory.operations.indexing.look import LookedStore, Looker
from pit_memory.operations.indexing.sync import sync
from pit_memory.stores.store import Store
store = Store.open(Path(sys.argv[1]))
print("open", flush=True)
sync(store, [Source("", sys.argv[2])])
print("done", flush=True)
"""


def start_sync(store: Path, root: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SYNC_ONCE, str(store), str(root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.timeout(120)
def test_a_kill_at_any_moment_leaves_a_store_that_goes_on_where_it_was(tmp_path: Path):
    """Killed later and later, each time the tree changes; then the rest is done."""
    root, folder = tmp_path / "tree", tmp_path / "store"
    write_files(root, many(250))
    for round_number in range(10):
        write_files(root, many(40, f"rental{'x' * round_number}"))
        with start_sync(folder, root) as victim:
            assert victim.stdout is not None
            assert victim.stdout.readline() == "open\n"
            threading.Timer(0.03 * round_number, victim.kill).start()
            victim.wait()
        store = Store.open(folder)
        for path, _, section_count in store.catalogue.outline():
            document = store.catalogue.document("", path)
            assert document is not None
            assert len(store.catalogue.sections_of(document.id)) == section_count
            assert len(store.catalogue.chunks_of(document.id)) == document.chunk_count
        store.keywords.follow(wait_seconds=5)
        assert disagreement(store) == []
        store.close()

    store = Store.open(folder)
    assert sync(store, [Source("", str(root))]).notes == ()
    assert {path for _, path in store.catalogue.paths().values()} == set(many(250))
    assert len(found(store, "rentalxxxxxxxxx")) == 40
    assert len(found(store, "lease")) == 210
    store.close()


def test_two_syncs_at_once_index_each_file_once(tmp_path: Path):
    root, folder = tmp_path / "tree", tmp_path / "store"
    write_files(root, many(100))
    with start_sync(folder, root) as one, start_sync(folder, root) as two:
        assert one.stdout is not None
        assert two.stdout is not None
        assert one.stdout.read() == two.stdout.read() == "open\ndone\n"

    store = Store.open(folder)
    assert store.catalogue.counts().documents == 100
    assert (
        len({row.generation for row in store.catalogue.documents(store.catalogue.paths()).values()})
        == 1
    )
    assert disagreement(store) == []
    store.close()


@pytest.mark.timeout(120)
def test_sessions_that_search_write_and_die_lose_nothing(tmp_path: Path):
    """A short run of the stress program; by hand it runs for a minute."""
    program = Path(__file__).parents[3] / "benchmarks" / "stress.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, str(program), "--seconds", "3", "--searchers", "2", "--writers", "2"]

    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=110, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
