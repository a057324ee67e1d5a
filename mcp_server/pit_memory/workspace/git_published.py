"""What of a repository others can see: the remote, and the commit of it that we know."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import names_of, run_git, text_of


@dataclass(frozen=True, slots=True)
class Published:
    """A commit that is on a remote."""

    remote: str
    """Name of the remote."""
    url: str
    """Its address, as git uses it."""
    branch: str
    """Its branch, without the remote's name."""
    commit: str
    """Full id."""


def find_published(top: Path) -> Published | None:
    """The upstream of the current branch, else the default branch of the first remote.

    Asked of what git knows here; nothing is fetched. None where there is no remote, where nothing
    of it was ever fetched or pushed, and where git gives no answer.
    """
    return _first_known(top, ("@{upstream}",))


def default_branch(top: Path) -> Published | None:
    """The default branch of `origin`, else of the first remote; None where none is known."""
    return _first_known(top, ())


def _first_known(top: Path, wanted: Sequence[str]) -> Published | None:
    try:
        names = text_of(run_git(top, ["remote"], {})).split()
        if not names:
            return None
        origin = "origin" if "origin" in names else names[0]
        usual = [f"refs/remotes/{origin}/{branch}" for branch in ("HEAD", "main", "master")]
        for ref in (*wanted, *usual):
            full, commit = _resolve(top, ref)
            name = next((each for each in names if full.startswith(f"refs/remotes/{each}/")), "")
            if name:
                branch = full.removeprefix(f"refs/remotes/{name}/")
                return Published(name, _address(top, name), branch, commit)
    except GitError:
        return None
    return None


def _address(top: Path, remote: str) -> str:
    """The address of a remote as it is written, where that says more than what git makes of it."""
    made = text_of(run_git(top, ["remote", "get-url", remote], {})).strip()
    if "://" in made or "@" in made:
        return made
    return text_of(run_git(top, ["config", "--get", f"remote.{remote}.url"], {})).strip()


def published_blobs(top: Path, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
    """The blob of each path in a commit; what it doesn't hold is missing."""
    try:
        arguments = ["ls-tree", "-z", "--full-tree", commit, "--", *paths]
        listing = text_of(run_git(top, arguments, {"GIT_LITERAL_PATHSPECS": "1"}))
    except GitError:
        return {}
    rows = (row.partition("\t") for row in names_of(listing))
    return {path: head.split(" ")[2] for head, _, path in rows}


def blob_id(data: bytes, like: str) -> str:
    """Git's id of a file's content, by the hash that another id is made with."""
    kind = "sha256" if len(like) == 64 else "sha1"
    made = hashlib.new(kind, usedforsecurity=False)
    made.update(b"blob %d\0" % len(data))
    made.update(data)
    return made.hexdigest()


def _resolve(top: Path, ref: str) -> tuple[str, str]:
    """The full name of a remote branch and its commit; empty where there is none of that name."""
    try:
        full = text_of(run_git(top, ["rev-parse", "--symbolic-full-name", ref], {})).strip()
        commit = text_of(run_git(top, ["rev-parse", "--verify", f"{ref}^{{commit}}"], {})).strip()
    except GitError:
        return "", ""
    return full, commit
