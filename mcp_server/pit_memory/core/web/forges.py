"""Where a file of a commit is read on the web: permalinks of the common forges, with lines."""

import re
from dataclasses import dataclass
from typing import Literal

from pit_memory.core.text.percent import address_part

Forge = Literal["github", "gitlab", "gitea", "bitbucket"]
ForgeSetting = Literal["auto"] | Forge
"""What the setting `links.forge` takes."""

_SCP = re.compile(r"(?:[^@/\s:]+@)?(?P<host>[^@/\s:]+\.[^@/\s:]+|localhost):(?!/)(?P<path>\S+)")
_URL = re.compile(
    r"(?:https?|ssh|git)://(?:[^@/\s]*@)?(?P<host>[^/\s:]+)(?P<port>:\d+)?/(?P<path>\S+)"
)
_BY_HOST: tuple[tuple[str, Forge], ...] = (
    ("github", "github"),
    ("gitlab", "gitlab"),
    ("bitbucket.org", "bitbucket"),
    ("codeberg.org", "gitea"),
    ("forgejo", "gitea"),
    ("gitea", "gitea"),
)
"""What the name of a host says about it."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on a forge."""

    forge: Forge
    address: str
    """Of the repository's page, without a slash at the end."""


def remote_of(url: str, forge: ForgeSetting = "auto") -> Remote | None:
    """The forge behind a git remote; None for a folder, an unknown host and what can't be read.

    Args:
        url: as `git remote get-url` gives it; a password in it goes nowhere.
        forge: what kind it is; `auto` tells by the host's name.
    """
    found = _URL.fullmatch(url) or _SCP.fullmatch(url)
    if not found:
        return None
    host, path = found["host"].lower(), found["path"].strip("/").removesuffix(".git")
    named = next((kind for name, kind in _BY_HOST if name in host), None)
    kind = named if forge == "auto" else forge
    if kind is None or path.count("/") < 1:
        return None
    port = found["port"] if url.startswith("http") and found.re is _URL else None
    scheme = "http" if url.startswith("http://") else "https"
    return Remote(kind, f"{scheme}://{host}{port or ''}/{_quoted(path)}")


def permalink(remote: Remote, commit: str, path: str, lines: tuple[int, int] | None) -> str:
    """The address of a file, or of lines of it, in a commit.

    Args:
        remote: the repository.
        commit: full id.
        path: relative to the top of the work tree.
        lines: 1-based, inclusive; None for the whole file.
    """
    file = _quoted(path)
    first, last = lines or (0, 0)
    to_last = f"-L{last}" if last != first else ""
    if remote.forge == "github":
        place = f"?plain=1#L{first}{to_last}" if lines else ""
        return f"{remote.address}/blob/{commit}/{file}{place}"
    if remote.forge == "gitlab":
        until = f"-{last}" if last != first else ""
        place = f"?plain=1#L{first}{until}" if lines else ""
        return f"{remote.address}/-/blob/{commit}/{file}{place}"
    if remote.forge == "gitea":
        place = f"?display=source#L{first}{to_last}" if lines else ""
        return f"{remote.address}/src/commit/{commit}/{file}{place}"
    until = f":{last}" if last != first else ""
    place = f"#lines-{first}{until}" if lines else ""
    return f"{remote.address}/src/{commit}/{file}{place}"


def compare_address(remote: Remote, base: str, branch: str) -> str:
    """Where a person opens a pull request for a branch that has been pushed."""
    base, branch = _quoted(base), _quoted(branch)
    if remote.forge == "gitlab":
        return (
            f"{remote.address}/-/merge_requests/new?merge_request%5Bsource_branch%5D={branch}"
            f"&merge_request%5Btarget_branch%5D={base}"
        )
    if remote.forge == "bitbucket":
        return f"{remote.address}/pull-requests/new?source={branch}&dest={base}"
    expand = "?expand=1" if remote.forge == "github" else ""
    return f"{remote.address}/compare/{base}...{branch}{expand}"


def _quoted(path: str) -> str:
    return address_part(path, "-._~/")
