"""Bounded reads, writes that are whole or not there, paths that stay in their root."""

import errno
import os
import resource
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.errors import PathError, StorageFullError
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.workspace.files import (
    RACY_NS,
    halves_of,
    make_data_folder,
    make_folder,
    read_bytes,
    read_file,
    reason,
    resolve_inside,
    write_atomic,
)
from pit_memory.workspace.locks import FileLock
from tests.builders import write_files
from tests.machine import disk, make_read_only, open_folder, without_privileges
from tests.shared_material import PROJECT


def settle(path: Path) -> None:
    """Give a file times long past, as if it had been written yesterday."""
    os.utime(path, ns=(0, 10**18))


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


# ---- reading ---------------------------------------------------------------------------------


def test_a_file_is_read_with_the_stamps_it_had(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"text")
    settle(path)
    read = read_file(path, 100)
    assert (read.data, read.size, read.mtime_ns) == (b"text", 4, 10**18)


def test_a_file_that_changed_just_now_has_no_time_to_trust(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"1")
    assert read_file(path, 100).ctime_ns == 0
    time.sleep(2 * RACY_NS / 1e9)
    assert read_file(path, 100).ctime_ns == path.stat().st_ctime_ns


def test_a_file_larger_than_the_limit_is_not_read(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes") as caught:
        read_bytes(path, 4)
    assert caught.value.errno == errno.EFBIG


@pytest.mark.parametrize("size", [0, 1, 65_536, 200_001])
def test_a_file_of_any_size_is_read_whole(tmp_path, size):
    path = tmp_path / "a.md"
    path.write_bytes(os.urandom(size))
    assert read_bytes(path, 1_000_000) == path.read_bytes()


def test_a_fifo_is_refused_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(OSError, match="not a regular file"):
        read_bytes(tmp_path / "pipe.md", 100)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(OSError, match="not a regular file"):
        read_bytes(tmp_path, 100)


def test_why_a_file_cannot_be_read_is_said_in_words(tmp_path):
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "file").write_text("", encoding="utf-8")
    found = {}
    for name in ("gone.md", "loop.md", "file/below.md"):
        with pytest.raises(OSError, match=name) as caught:
            read_bytes(tmp_path / name, 10)
        found[name] = reason(caught.value)
    assert found == {
        "gone.md": "it is not there any more",
        "loop.md": "its symlinks run in a circle",
        "file/below.md": "it is not there any more",
    }


def test_a_file_without_permission_is_named_so():
    with open_folder() as folder:
        path = folder / "secret.md"
        path.write_text("", encoding="utf-8")
        path.chmod(0)
        with without_privileges(), pytest.raises(PermissionError) as caught:
            read_bytes(path, 10)
        assert reason(caught.value) == "permission denied"


# ---- writing ---------------------------------------------------------------------------------


def test_a_written_file_replaces_the_old_one_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "index.json"
    write_atomic(path, b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["index.json"]


def test_a_file_that_is_there_keeps_its_mode(tmp_path):
    path = write_files(tmp_path, {"a": "x"}) / "a"
    path.chmod(0o640)
    write_atomic(path, b"y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_gets_the_usual_mode(tmp_path):
    write_atomic(tmp_path / "a", b"")
    usual = tmp_path / "usual"
    usual.touch()
    assert (tmp_path / "a").stat().st_mode == usual.stat().st_mode


def test_a_symlink_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real/file")
    write_atomic(tmp_path / "link", b"text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/file").read_bytes() == b"text"


def test_a_name_of_255_bytes_can_be_written(tmp_path):
    path = tmp_path / ("ä" * 127)
    write_atomic(path, b"x")
    assert path.read_bytes() == b"x"


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path):
    with disk(tmp_path) as small:
        write_atomic(small / "a", b"old")
        with pytest.raises(StorageFullError, match="the disk is full") as caught:
            write_atomic(small / "a", b"x" * 1_000_000)
        assert str(small / "a") in str(caught.value)
        assert (small / "a").read_bytes() == b"old"
        assert names(small) == ["a"]


def test_a_file_size_limit_leaves_the_old_file_and_no_other(tmp_path):
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from pit_memory.errors import StorageFullError\n"
        "from pit_memory.workspace.files import write_atomic\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
        "try: write_atomic(Path(sys.argv[1]), b'x' * 2000)\n"
        "except StorageFullError as error: print(error)\n"
    )
    path = write_files(tmp_path, {"a": "old"}) / "a"
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    command = [sys.executable, "-c", code, str(path)]
    environ = {"PYTHONPATH": str(PROJECT / "mcp_server")}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "larger than this process may write" in done.stdout
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_read_only_disk_is_named(tmp_path):
    with disk(tmp_path) as place:
        (place / "a").write_bytes(b"old")
        make_read_only(place)
        with pytest.raises(StorageFullError, match="read-only"):
            write_atomic(place / "a", b"new")
        with pytest.raises(StorageFullError, match="read-only"):
            make_folder(place / "b" / "c")
        assert (place / "a").read_bytes() == b"old"


def test_a_folder_without_permission_is_named():
    with open_folder() as folder:
        (folder / "closed").mkdir(mode=0o555)
        with without_privileges():
            with pytest.raises(StorageFullError, match="permission denied"):
                write_atomic(folder / "closed/a", b"x")
            with pytest.raises(StorageFullError, match="permission denied"):
                make_folder(folder / "closed/b")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a place")
def test_a_place_where_no_folder_can_be_made_is_named():
    with pytest.raises(StorageFullError, match="none can be made"):
        make_folder(Path("/proc/pit-memory/stores"))


@pytest.mark.parametrize(
    "write",
    [
        lambda place: make_data_folder(place / "stores"),
        lambda place: FileLock(place / "stores/sync.lock").acquire(1.0),
        lambda place: Store.open(place / "stores/x"),
        lambda place: VectorCache.open(place / "vectors/cache.sqlite"),
    ],
    ids=["folder", "lock", "store", "vectors"],
)
def test_whoever_cannot_make_the_data_folder_is_told_how_to_choose_another(write, tmp_path):
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(StorageFullError, match=r"move it away; PIT_MEMORY_DATA=DIR puts"):
        write(tmp_path / "data")


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path):
    write_files(tmp_path, {"file": ""})
    with pytest.raises(StorageFullError, match="a file is where a folder should be"):
        make_folder(tmp_path / "file/below")
    with pytest.raises(StorageFullError, match="a file is where a folder should be"):
        make_folder(tmp_path / "file")
    with pytest.raises(StorageFullError, match="a folder is there"):
        write_atomic(tmp_path, b"x")


def test_readers_see_the_old_bytes_or_the_new_ones_and_never_a_part(tmp_path):
    path = tmp_path / "a"
    versions = [bytes([number]) * 100_000 for number in range(20)]
    write_atomic(path, versions[0])
    seen: list[bytes] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.append(path.read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    for version in versions:
        write_atomic(path, version)
    done.set()
    watcher.join()
    assert seen
    assert set(seen) <= set(versions)


# ---- paths -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["a.md", "docs/a b#1@2%.md", "docs/gone.md", ".", "docs/./a.md", "new\nline.md"]
)
def test_a_path_below_the_root_is_resolved_whether_it_exists_or_not(tmp_path, path):
    root = write_files(tmp_path / "root", {"a.md": "", "docs/a.md": ""})
    assert resolve_inside(root, path) == Path(os.path.realpath(root / path))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("../../etc/passwd", "goes up"),
        ("docs/../../x", "goes up"),
        ("docs/..", "goes up"),
        ("a\0b", "NUL"),
        ("a\ud800", "can't be the name of a file"),
    ],
)
def test_a_path_that_leaves_the_root_is_refused_with_value_and_reason(tmp_path, path, why):
    with pytest.raises(PathError) as caught:
        resolve_inside(tmp_path, path)
    assert why in str(caught.value)
    assert repr(path) in str(caught.value)


@pytest.mark.parametrize(
    "path", ["out", "out/secret.md", "docs/up/secret.md", "file.md", "chain.md"]
)
def test_a_symlink_that_leaves_the_root_is_refused(tmp_path, path):
    write_files(tmp_path, {"secret.md": "s", "root/docs/a.md": "", "root2/secret.md": "s"})
    root = tmp_path / "root"
    (root / "out").symlink_to(tmp_path / "root2")  # its path begins like the root's
    (root / "docs/up").symlink_to("../..")
    (root / "file.md").symlink_to("../secret.md")
    (root / "chain.md").symlink_to("file.md")
    with pytest.raises(PathError, match="symlink out of"):
        resolve_inside(root, path)


@pytest.mark.parametrize("path", [".git/config", "sub/.git/hooks/x", "drafts/x.md", ".GIT/x"])
def test_gits_own_folder_is_no_place_for_files_of_ours(tmp_path, path):
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "drafts").symlink_to(".git/hooks")
    with pytest.raises(PathError, match="leads into git's own folder"):
        resolve_inside(tmp_path, path)


def test_a_symlink_that_stays_inside_is_followed(tmp_path):
    root = write_files(tmp_path / "root", {"docs/a.md": ""})
    (root / "link").symlink_to("docs")
    assert resolve_inside(root, "link/a.md") == (root / "docs/a.md").resolve()


def test_a_root_that_is_a_symlink_itself_is_fine(tmp_path):
    root = write_files(tmp_path / "root", {"a.md": ""})
    (tmp_path / "link").symlink_to("root")
    assert resolve_inside(tmp_path / "link", "a.md") == (root / "a.md").resolve()


def test_the_file_systems_root_can_be_a_root():
    assert resolve_inside(Path("/"), "usr") == Path("/usr").resolve()


@given(path=st.text(st.sampled_from("ab/.\0~"), max_size=12))
def test_whatever_is_resolved_lies_inside(tmp_path_factory, path):
    root = tmp_path_factory.getbasetemp()
    try:
        found = resolve_inside(root, path)
    except PathError:
        return
    assert found.is_relative_to(root.resolve())


@pytest.mark.parametrize("name", ["a.md", "a[1]*?.md", "x" * 60 + ".md"])
def test_what_a_killed_write_leaves_is_told_from_other_files(tmp_path, name):
    killed = (
        "import os, sys; from pathlib import Path; from pit_memory.workspace import files\n"
        "Path.replace = lambda *_: os._exit(9)\n"
        "files.write_atomic(Path(sys.argv[1]), b'half')\n"
    )
    environ = {"PYTHONPATH": str(PROJECT / "mcp_server"), "PATH": os.environ["PATH"]}
    (tmp_path / f".{name[:40]}.tmp").touch()
    done = subprocess.run(
        [sys.executable, "-c", killed, str(tmp_path / name)], env=environ, check=False
    )
    assert done.returncode == 9
    assert [half.read_bytes() for half in halves_of(tmp_path / name)] == [b"half"]
