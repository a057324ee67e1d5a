"""Where pit-memory keeps what it makes. The only file that knows folders; touches no disk.

Kept light (launcher and hooks import it): no dataclasses or typing, hashlib only when a store is
named.
"""

from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.records import NamedTuple
from pit_memory.errors import SettingsError

STORE_VERSION = 9
"""There are no migrations: a store of another version is built beside the old one. Another one also
where files are read in another way, as by another rule for languages: texts keep their vectors."""

DERIVED = (
    "canary",
    "envs",
    "locks",
    "model-cards",
    "model-check.json",
    "projects",
    "proposed",
    "pycache",
    "roots",
    "section-entries.json",
    "sessions",
    "stores-v*",
    "vectors.sqlite*",
)
"""What lies in the data folder and can be made again, as globs; anything else is knowledge."""

SESSION_FILE = "session.json"
"""Name of the file in a store that says what its documents are about."""

PROJECT_SETTINGS = ".pit-memory.toml"
"""Name of the settings file at the root of a project."""

# A store's folder shows the name of its root for people; the hash is what identifies it.
_SHOWN_NAME_CHARACTERS = 40
_HASH_DIGITS = 16


class Places(NamedTuple):
    """The two folders everything else lies in."""

    data: Path
    """Derived data: stores, vectors, environments. Absolute."""
    config: Path
    """What the person wrote: settings, personal memory. Absolute."""


def places(environ: Mapping[str, str]) -> Places:
    """Find the data and the configuration folder that an environment asks for.

    Like the shell's `${NAME:-default}`, an empty variable counts as unset. As the XDG specification
    wants it, a relative XDG folder is ignored.

    Raises:
        SettingsError: PIT_MEMORY_DATA or PIT_MEMORY_CONFIG is not an absolute path, or HOME is
            needed and is not one.
    """
    return Places(
        data=_folder(environ, "PIT_MEMORY_DATA", "XDG_DATA_HOME", ".local/share"),
        config=_folder(environ, "PIT_MEMORY_CONFIG", "XDG_CONFIG_HOME", ".config"),
    )


def stores(where: Places) -> Path:
    """Return the folder of all stores of this version."""
    return where.data / f"stores-v{STORE_VERSION}"


def store_folder(where: Places, root: Path) -> Path:
    """Return the store of a project: `<name of root>-<16 hex of its real path>`.

    Args:
        where: the folders of this person.
        root: the project's root, symlinks resolved; every spelling of one folder must end up in
            one store.
    """
    return stores(where) / f"{_shown_name(root)}-{_hash_of(root)}"


def user_store(where: Places) -> Path:
    """Return the store of the person's own sources."""
    return stores(where) / "user"


def vector_cache(where: Places) -> Path:
    """Return the SQLite file of every vector this person ever computed."""
    return where.data / "vectors.sqlite"


def canary_folder(where: Places) -> Path:
    """Return the folder of the document by which a server checks itself."""
    return where.data / "canary"


def model_cards(where: Places) -> Path:
    """Return the folder of what model servers said of their models."""
    return where.data / "model-cards"


def token_file(where: Places) -> Path:
    """Return the file of the tokens that a server over HTTP accepts."""
    return where.data / "tokens.json"


def section_entries(where: Places) -> Path:
    """Return the file that remembers which section entries a file's content gives."""
    return where.data / "section-entries.json"


def model_verdict(where: Places) -> Path:
    """Return the file that keeps the outcome of the last check of the model's weights."""
    return where.data / "model-check.json"


def commit_lock(where: Places, git_dir: Path) -> Path:
    """Return the lock file that our processes share when they commit to a repository.

    Args:
        where: the folders of this person.
        git_dir: the repository's own folder of that worktree, symlinks resolved.
    """
    return _lock_of(where, git_dir)


def facts_folder(where: Places) -> Path:
    """Return the home of facts, unless the person's settings name another: it is knowledge."""
    return where.data / "facts"


def proposed_counts(where: Places) -> Path:
    """Return the folder that says of which assignments how many facts wait for review."""
    return where.data / "proposed"


def change_lock(where: Places, home: Path) -> Path:
    """Return the lock file that our processes share when they rewrite facts.

    Args:
        where: the folders of this person.
        home: of the facts, symlinks resolved.
    """
    return _lock_of(where, home / "changes")


def import_lock(where: Places, root: Path) -> Path:
    """Return the lock file that our processes share when they import into a project.

    Args:
        where: the folders of this person.
        root: of the project, symlinks resolved.
    """
    return _lock_of(where, root / "imports")


def envs(where: Places) -> Path:
    """Return the folder of the Python environments that the launcher builds."""
    return where.data / "envs"


def person_settings(where: Places) -> Path:
    """Return the person's settings file."""
    return where.config / "config.toml"


def person_memory(where: Places) -> Path:
    """Return the folder of the person's own rules and preferences."""
    return where.config / "memory"


def compiled_push(where: Places, root: Path) -> Path:
    """Return the file of everything that hooks need of a project's push memory.

    `hooks/launch` finds it by the project's path alone: sh can't compute a hash cheaply.
    """
    return Path(f"{where.data}/projects{root}/.push")


def known_assignment(where: Places, root: Path) -> Path:
    """Return the file that keeps whose facts a project's are, until what says so changes."""
    return Path(f"{where.data}/projects{root}/.assignment")


def wrapup_mark(where: Places, root: Path) -> Path:
    """Return the file whose time is that of the last wrap-up of a project."""
    return Path(f"{where.data}/projects{root}/.wrapup")


def waiting_commits(where: Places, root: Path) -> Path:
    """Return the list of a project's new files that are committed when the person says so."""
    return Path(f"{where.data}/projects{root}/.waiting")


def unfinished_writes(where: Places, root: Path) -> Path:
    """Return the folder that says which new files of a project are being written."""
    return Path(f"{where.data}/projects{root}/.unfinished")


def session_marks(where: Places) -> Path:
    """Return the folder that remembers what each session was told."""
    return where.data / "sessions"


def project_settings(root: Path) -> Path:
    """Return the settings file of a project."""
    return root / PROJECT_SETTINGS


def _folder(environ: Mapping[str, str], own: str, xdg: str, below_home: str) -> Path:
    value = environ.get(own)
    if value:
        return _absolute(own, value)
    base = environ.get(xdg, "")
    if base.startswith("/"):
        return Path(base, "pit-memory")
    home = environ.get("HOME")
    if not home:
        message = f"HOME is not set, so there is no default folder; set {own} to an absolute path"
        raise SettingsError(message)
    return _absolute("HOME", home) / below_home / "pit-memory"


def _absolute(name: str, value: str) -> Path:
    if not value.startswith("/"):
        message = f"{name}={value!r} is not an absolute path (`~` is not expanded); start it with /"
        raise SettingsError(message)
    return Path(value)


def _lock_of(where: Places, path: Path) -> Path:
    """The lock file of a path, which need not exist."""
    return where.data / "locks" / f"{_hash_of(path)}.lock"


def _hash_of(path: Path) -> str:
    from hashlib import sha256  # 4 ms that the hooks and the launcher need not pay

    return sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:_HASH_DIGITS]


def _shown_name(root: Path) -> str:
    """Name of a folder without signs that are trouble in a shell or on another file system."""
    shown = "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in root.name)
    return shown.lstrip(".")[:_SHOWN_NAME_CHARACTERS] or "root"
