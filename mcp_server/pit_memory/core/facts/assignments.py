"""Assignments, the scopes of facts: their names, their folders, and what a repository is called.

Two names are one assignment only if they are the same characters after NFC: case twins and
look-alikes are others.
"""

import re
import unicodedata
from functools import lru_cache

from pit_memory.errors import UsageError

AUTO = "auto"
"""As an assignment in a settings file: the identity of the repository."""
MAX_NAME_CHARACTERS = 200
_HASH_DIGITS = 8
"""Of SHA-256: what keeps the folders of names apart that are spelled alike in a slug."""
_IDENTITY_DIGITS = 16
_SLUG_CHARACTERS = 40
_REMEMBERED_FOLDERS = 256
"""Each file of a fact is held against the name of its folder."""
_WORD = re.compile(r"[a-z0-9]+")
_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^/@]*@)?(?P<host>[^/]*)(?P<path>/.*)?")
_SCP = re.compile(r"(?:[^/@:]*@)?(?P<host>\[[^\]]*\]|[^/:@]+):(?P<path>.*)")
"""`git@example.org:team/docs.git`, as ssh and git write it."""
_USUAL_PORT = re.compile(r":(?:22|80|443|9418)$")
_WITHOUT_CASE = frozenset({"github.com", "gitlab.com", "bitbucket.org"})
"""Hosts that take two spellings of a path for one repository."""


def assignment_name(name: str, argument: str = "assignment") -> str:
    """Return a name as it identifies an assignment.

    Args:
        name: as somebody wrote it.
        argument: what the error calls it.

    Raises:
        UsageError: empty, too long, or holds what no name may hold.
    """
    composed = unicodedata.normalize("NFC", name)
    if why := _why_no_name(composed):
        shown = composed if len(composed) <= _SLUG_CHARACTERS else composed[:_SLUG_CHARACTERS] + "…"
        message = f"{argument}: {shown!r} {why}"
        raise UsageError(message)
    return composed


def _why_no_name(name: str) -> str:
    if not name.strip():
        return "is empty; give 1 to 200 characters"
    if len(name) > MAX_NAME_CHARACTERS:
        return f"has {len(name):,} characters, and at most {MAX_NAME_CHARACTERS}"
    if odd := next((sign for sign in name if not sign.isprintable()), None):
        return f"holds U+{ord(odd):04X}, which can't be printed"
    if name != name.strip():
        return "begins or ends with a blank"
    if found := next((sign for sign in ("/", "\\", "..", "-->") if sign in name), None):
        return f"holds {found!r}; use letters, digits, blanks and signs such as - . _ :"
    return ""


@lru_cache(_REMEMBERED_FOLDERS)
def assignment_folder(assignment: str) -> str:
    """Name of an assignment's folder below the home of facts: `<slug>-<8 hex of SHA-256>`."""
    folded = unicodedata.normalize("NFKD", assignment).lower()
    slug = "-".join(_WORD.findall(folded))[:_SLUG_CHARACTERS].strip("-") or "assignment"
    return f"{slug}-{_hex(assignment)[:_HASH_DIGITS]}"


def remote_identity(url: str) -> str:
    """The assignment that all clones of a repository share, from the address of its remote.

    Host and path without scheme, user, password, usual port and `.git`; `:` stands for `/`, which
    no name may hold. Empty where the address is a path of this machine: it identifies nothing.
    """
    if found := _URL.fullmatch(url.strip()):
        if found["scheme"] == "file":
            return ""
    elif not (found := _SCP.fullmatch(url.strip())):
        return ""
    host = _USUAL_PORT.sub("", found["host"].lower())
    path = (found["path"] or "").strip("/").removesuffix(".git").strip("/")
    if host in _WITHOUT_CASE:
        path = path.lower()
    parts = [part for part in path.split("/") if part]
    if not host or not parts:
        return ""
    identity = ":".join(part.replace(":", "%3A") for part in (host, *parts))
    return identity if not _why_no_name(identity) else _hashed(parts[-1], url)


def folder_identity(name: str, path: str) -> str:
    """The assignment of a repository without a remote, shared by its worktrees.

    Args:
        name: what people call it.
        path: of the folder of git that its worktrees share, symlinks resolved.
    """
    return _hashed(name, path)


def _hashed(name: str, identity: str) -> str:
    shown = "-".join(_WORD.findall(name.lower()))[:_SLUG_CHARACTERS] or "repository"
    return f"{shown}@{_hex(identity)[:_IDENTITY_DIGITS]}"


def _hex(text: str) -> str:
    from hashlib import sha256  # 4 ms that hooks, which read settings, need not pay

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
