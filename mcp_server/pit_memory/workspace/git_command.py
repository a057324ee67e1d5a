"""How git is run and its output read, whoever asks.

A repository's own configuration must not start a program of its choice, and `GIT_*` variables,
which a hook's caller sets for its own repository, must not reach another one.
"""

import os

GIT = ("git", "-c", "core.fsmonitor=false")
"""The command."""
_SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
"""Change nothing, ask nobody, fetch nothing, speak English."""

_IDENTITY = frozenset(
    f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
)
"""Where people without a configuration say who they are."""
_COMMIT_SETTINGS = {"GIT_TERMINAL_PROMPT": "0", "LANGUAGE": "en"}
"""Ask nobody, speak English; the hooks of a commit keep the person's locale."""


def environment() -> dict[str, str]:
    """What git sees of this process's environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | _SETTINGS


def commit_environment() -> dict[str, str]:
    """What git, and the hooks it starts, see of this process's environment in a commit."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _IDENTITY
    }
    return kept | _COMMIT_SETTINGS


def text_of(output: bytes) -> str:
    """What git printed; names that are no text keep their bytes as surrogates."""
    return output.decode("utf-8", "surrogateescape")


def names_of(listing: str) -> list[str]:
    """The names of a listing made with `-z`."""
    return listing.split("\0")[:-1]


def complaint_of(stderr: str) -> str:
    """The first line of what git complained of; empty where it said nothing."""
    return stderr.strip().partition("\n")[0].removeprefix("fatal: ")
