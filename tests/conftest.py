"""Every test has a home of its own, and nothing reaches the real one or the network.

Environment: `HOME`, the XDG folders and `PIT_MEMORY_*` point into a fresh folder; what the caller's
shell says to git, Claude Code or pit-memory is dropped. An audit hook, which no code can get round,
fails the test that opens the real data or configuration folder or speaks to an address outside
loopback.
"""

import ipaddress
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:  # tests of the base install do without what these import
    from pit_memory.stores.store import Store
    from pit_memory.stores.vector_cache import VectorCache

# A busy machine is not a failure; each test's time limit is pytest's.
hypothesis.settings.register_profile(
    "patient",
    hypothesis.settings.default,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],  # of drawing, on a busy machine
)
hypothesis.settings.load_profile("patient")

REAL_HOME = Path("~").expanduser()
REAL_FOLDERS = tuple(
    os.fspath(Path(base).absolute() / "pit-memory") + os.sep
    for base in {
        os.environ.get("XDG_DATA_HOME") or REAL_HOME / ".local/share",
        os.environ.get("XDG_CONFIG_HOME") or REAL_HOME / ".config",
        os.environ.get("XDG_CACHE_HOME") or REAL_HOME / ".cache",
        os.environ.get("XDG_STATE_HOME") or REAL_HOME / ".local/state",
    }
)
FILE_EVENTS = {"open", "os.mkdir", "os.listdir", "os.scandir", "os.rename", "sqlite3.connect"}
SOCKET_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"}
DROPPED_PREFIXES = ("GIT_", "PIT_MEMORY_", "XDG_", "CLAUDE_")
IDENTITY = {"NAME": "Ada Example", "EMAIL": "ada@example.org"}
GIT_CONFIGURATION = """\
[user]
	name = Ada Example
	email = ada@example.org
[init]
	defaultBranch = main
"""


def _is_loopback(host: str) -> bool:
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse_outside(event: str, arguments: tuple[object, ...]) -> None:
    """Fail the running test at the call that leaves its own folders or this machine."""
    if event in FILE_EVENTS:
        path = arguments[0]
        if isinstance(path, str | os.PathLike) and f"{path}/".startswith(REAL_FOLDERS):
            pytest.fail(f"a test touched the real {path}: use the folders of the environment")
    elif event in SOCKET_EVENTS:
        address = arguments[1]
        if isinstance(address, tuple) and not _is_loopback(str(address[0])):
            pytest.fail(f"a test spoke to {address}: only loopback is allowed")
    elif event == "socket.getaddrinfo":
        host = arguments[0]
        name = host.decode() if isinstance(host, bytes) else str(host or "")
        if not _is_loopback(name):
            pytest.fail(f"a test looked up {name}: only loopback is allowed")


sys.addaudithook(_refuse_outside)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new folder for each test's home, numbered: cheaper than one temporary folder each."""
    base = tmp_path_factory.mktemp("homes")
    numbers = count()

    def folders() -> Iterator[Path]:
        while True:
            yield base / str(next(numbers))

    return folders()


@pytest.fixture(autouse=True)
def home(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own home folder, already in the environment; a fresh git configuration in it."""
    folder = next(_homes)
    folder.mkdir()
    (folder / ".gitconfig").write_text(GIT_CONFIGURATION, encoding="utf-8")
    for name in list(os.environ):
        if name.startswith(DROPPED_PREFIXES):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    for name, place in {
        "XDG_DATA_HOME": ".local/share",
        "XDG_CONFIG_HOME": ".config",
        "XDG_CACHE_HOME": ".cache",
        "XDG_STATE_HOME": ".local/state",
    }.items():
        monkeypatch.setenv(name, str(folder / place))
    monkeypatch.setenv("PIT_MEMORY_DATA", str(folder / "data"))
    monkeypatch.setenv("PIT_MEMORY_CONFIG", str(folder / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        for part, value in IDENTITY.items():
            monkeypatch.setenv(f"GIT_{role}_{part}", value)
    return folder


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a model: nothing loads it, and searches answer by words alone."""
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")


@pytest.fixture
def no_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process goes on behind: what a test needs indexed, it syncs."""
    monkeypatch.setattr("pit_memory.workspace.detached.start_detached", lambda *_: None)


@pytest.fixture
def store(tmp_path: Path) -> "Iterator[Store]":
    """An empty store."""
    from pit_memory.stores.store import Store

    with closing(Store.open(tmp_path / "store")) as opened:
        yield opened


@pytest.fixture
def cache(tmp_path: Path) -> "Iterator[VectorCache]":
    """A person's vectors, none yet."""
    from pit_memory.stores.vector_cache import VectorCache

    with closing(VectorCache.open(tmp_path / "vectors.sqlite")) as opened:
        yield opened
