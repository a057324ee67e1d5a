"""Files that change by hundreds, move in storms, or are not here at all."""

import os
from pathlib import Path

import pytest

from pit_memory.core.source import Source
from pit_memory.operations.indexing.look import LookedStore, look
from pit_memory.operations.indexing.sync import sync
from pit_memory.sources.placeholders import is_placeholder
from pit_memory.sources.sieve import rules_of
from pit_memory.sources.walker import list_source
from pit_memory.stores.store import Store
from pit_memory.workspace.mounts import (
    is_network,
    kind_at,
    network_at,
    parse_mount,
    parse_mountinfo,
)
from tests.builders import write_files
from tests.index_builders import disagreement, found

COUNT = 300


def note(number: int, word: str = "first") -> str:
    return f"# Note {number}\n\n{one('word', number)} says {one(word, number)}.\n"


def one(word: str, number: int) -> str:
    """A word of letters alone, which stands in one note."""
    return word + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:03}") + "q"


@pytest.fixture
def root(tmp_path):
    return write_files(tmp_path / "vault", {f"{n:03}.md": note(n) for n in range(COUNT)})


@pytest.fixture
def source(root):
    return Source("vault", str(root))


@pytest.fixture
def store(tmp_path, source):
    store = Store.open(tmp_path / "store")
    sync(store, [source])
    yield store
    store.close()


def look_until_done(store: Store, source: Source) -> None:
    while look([LookedStore(store, (source,))]).pending_files:
        pass


def replace_atomically(path: Path, text: str) -> None:
    """As editors do: a new file beside it, renamed over it."""
    beside = path.with_name(f".{path.name}.swp")
    beside.write_text(text)
    beside.replace(path)


def test_hundreds_of_changes_are_right_after_some_looks(store, source, root):
    for number in range(0, COUNT, 3):
        replace_atomically(root / f"{number:03}.md", note(number, "second"))
        (root / f"{number + 1:03}.md").unlink()
        write_files(root, {f"new/{number:03}.md": note(number, "third")})
    look_until_done(store, source)
    assert found(store, one("second", 3)) == ["003.md"]
    assert found(store, one("first", 3)) == []
    assert found(store, one("third", 3)) == ["new/003.md"]
    assert found(store, one("word", 4)) == []
    assert found(store, one("first", 5)) == ["005.md"]
    assert disagreement(store) == []


def test_a_storm_of_renames_keeps_every_text_and_its_id(store, source, root):
    before = {row for row, _ in store.catalogue.paths("vault").items()}
    (root / "moved").mkdir()
    for number in range(COUNT):
        (root / f"{number:03}.md").rename(root / f"moved/{COUNT - number:03}.md")
    report = sync(store, [source])
    assert (report.renamed, report.removed, report.added) == (COUNT, 0, 0)
    assert set(store.catalogue.paths("vault")) == before
    assert found(store, one("word", 7)) == ["moved/293.md"]
    assert disagreement(store) == []


def test_a_swap_of_names_is_two_changes(store, source, root):
    (root / "000.md").rename(root / "x")
    (root / "001.md").rename(root / "000.md")
    (root / "x").rename(root / "001.md")
    look_until_done(store, source)
    assert found(store, one("word", 0)) == ["001.md"]
    assert found(store, one("word", 1)) == ["000.md"]


# Cloud


def offload(path: Path) -> None:
    """Leave a file's size and none of its bytes, as a cloud's client does."""
    size = path.stat().st_size
    os.truncate(path, 0)
    os.truncate(path, size)


def skip_without_holes(path: Path) -> None:
    if path.stat().st_blocks:
        pytest.skip("this file system gives a hole blocks")


def test_files_in_the_cloud_are_skipped_said_and_kept(store, source, root):
    offload(root / "000.md")
    skip_without_holes(root / "000.md")
    big = root / "new.md"
    big.touch()
    os.truncate(big, 50_000)
    (root / ".late.md.icloud").write_bytes(b"bplist")
    before = (root / "000.md").stat().st_atime_ns, big.stat().st_atime_ns
    look_until_done(store, source)
    sync(store, [source])
    groups = {group.reason: group.count for group in list_source(root, rules_of(source)).left_out}
    assert groups["in the cloud only"] == 3
    assert found(store, one("first", 0)) == ["000.md"], "what was read before stays"
    assert before == ((root / "000.md").stat().st_atime_ns, big.stat().st_atime_ns)


def test_a_whole_vault_in_the_cloud_wipes_nothing(store, source, root):
    for number in range(COUNT):
        offload(root / f"{number:03}.md")
    skip_without_holes(root / "000.md")
    report = sync(store, [source])
    assert (report.removed, report.refused) == (0, ())
    assert found(store, one("first", 123)) == ["123.md"]


@pytest.mark.parametrize(
    ("size", "blocks", "kind", "expected"),
    [
        (5_000, 0, "ext4", True),
        (100, 0, "ext4", True),
        (100, 8, "ext4", False),
        (0, 0, "ext4", False),
        (100, 0, "btrfs", False),
        (50_000, 0, "btrfs", True),
    ],
)
def test_a_size_without_blocks_is_a_placeholder(monkeypatch, size, blocks, kind, expected):
    class Status:
        st_size, st_blocks, st_flags = size, blocks, 0

    monkeypatch.setattr("sys.platform", "linux")
    assert is_placeholder(Status(), kind) is expected


def test_macos_says_by_a_flag_that_bytes_are_elsewhere(monkeypatch):
    class Status:
        st_size, st_blocks, st_flags = 100, 0, 0x40000020

    monkeypatch.setattr("sys.platform", "darwin")
    assert is_placeholder(Status(), "apfs")
    Status.st_flags = 0x20
    assert not is_placeholder(Status(), "apfs")


# Network drives

MOUNTINFO = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:51 / /mnt/my\\040nas rw - nfs4 nas:/x rw
41 22 0:52 / /home/a/Cloud rw - fuse.rclone drive: rw
"""


@pytest.mark.parametrize(
    ("folder", "kind", "network"),
    [
        ("/home/a/Vault", "ext4", False),
        ("/mnt/my nas/Vault", "nfs4", True),
        ("/mnt/my nasty", "ext4", False),
        ("/home/a/Cloud", "fuse.rclone", True),
    ],
)
def test_a_folder_lies_on_the_innermost_mount(folder, kind, network):
    found_kind = kind_at(folder, parse_mountinfo(MOUNTINFO))
    assert (found_kind, is_network(found_kind)) == (kind, network)


def test_macos_lists_its_mounts_in_words():
    text = "/dev/disk3s1 on / (apfs, local)\n//a@nas/x on /Volumes/My NAS (smbfs, nodev)\n"
    assert kind_at("/Volumes/My NAS/v", parse_mount(text)) == "smbfs"


def test_a_disk_of_this_machine_is_no_network_whatever_is_mounted_around_it(tmp_path, monkeypatch):
    assert network_at(str(tmp_path)) == ""
    monkeypatch.setattr("pit_memory.workspace.mounts.file_system", lambda _: "nfs4")
    assert network_at("/proc") == "nfs4", "what lies on no disk is asked for"


def test_a_network_drive_is_looked_at_every_half_minute_and_says_so(
    store, source, root, monkeypatch
):
    monkeypatch.setattr("pit_memory.operations.indexing.source_plan.network_at", lambda _: "nfs4")
    write_files(root, {"new.md": "# New\n\nAn okapi.\n"})
    seen = look([LookedStore(store, (source,))])
    assert found(store, "okapi") == []
    assert "is on a network drive (nfs4): looked at " in seen.notes[0]
    monkeypatch.setattr("pit_memory.operations.indexing.source_plan.NETWORK_SECONDS", 0.0)
    look_until_done(store, source)
    assert found(store, "okapi") == ["new.md"]
    monkeypatch.undo()
    monkeypatch.setattr("pit_memory.operations.indexing.source_plan.network_at", lambda _: "nfs4")
    write_files(root, {"newer.md": "# Newer\n\nA tapir.\n"})
    assert look([LookedStore(store, (source,))]).notes
    assert found(store, "tapir") == []
    sync(store, [source])
    assert found(store, "tapir") == ["newer.md"], "who says sync means it"
