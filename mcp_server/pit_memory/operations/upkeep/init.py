"""Propose a project's settings file, and write it when told to."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tomlkit

from pit_memory.core.corpus.corpora import CorpusRule
from pit_memory.core.settings.setting_keys import Key
from pit_memory.core.settings.settings import KEYS
from pit_memory.errors import UsageError
from pit_memory.sources.sieve import Rules
from pit_memory.sources.walker import list_source
from pit_memory.workspace.files import write_atomic
from pit_memory.workspace.places import project_settings

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_NAMED_FOLDERS = 8
"""Folders that the proposal names, those with the most documents."""

_TOP = "the top level"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A settings file that is not written yet."""

    path: Path
    text: str
    """TOML: every key a project may set, commented out at its default, with what was found."""
    documents: int
    """Documents that are indexed without any settings file."""
    exists: bool
    """A settings file is there; only `force` replaces it."""


def propose(root: Path) -> Proposal:
    """Look at a project and propose settings that fit it; nothing is written.

    Raises:
        SourceError: the root is missing, not a folder, or can't be read.
    """
    seen = list_source(root, Rules(hidden=(".*",))).files
    usual = Counter(_top_folder(file.path) for file in seen if not _hidden_folder(file.path))
    hidden = Counter(folder for file in seen if (folder := _hidden_folder(file.path)))
    path = project_settings(root)
    return Proposal(path, _text(usual, hidden), usual.total(), path.exists())


def write(proposal: Proposal, *, force: bool = False) -> None:
    """Write a proposed settings file; nothing else is touched.

    Raises:
        UsageError: a file is there and `force` is off.
        StorageFullError: it can't be written.
    """
    if proposal.path.exists() and not force:
        message = f"{proposal.path} is there already; edit it, or replace it with --force"
        raise UsageError(message)
    write_atomic(proposal.path, proposal.text.encode())


def _text(usual: Counter[str], hidden: Counter[str]) -> str:
    lines = [
        "# Settings of pit-memory for this project. Each key stands at its default:",
        "# take the `#` away from what you want to change. No file at all works as well.",
        "#",
        *(f"# {line}" for line in _found(usual, hidden)),
    ]
    table = ""
    for key in KEYS.values():
        if key.by != "project":
            continue
        if (own := key.name.partition(".")[0]) != table:
            table = own
            lines += ["", f"[{table}]"]
        lines += [f"# {key.doc}", *(f"# {line}" for line in assignment(key, hidden))]
    return "\n".join(lines) + "\n"


def _found(usual: Counter[str], hidden: Counter[str]) -> Iterator[str]:
    if usual:
        yield f"Documents found: {usual.total():,} ({_listed(usual)})."
    else:
        yield "No document was found: no markdown file that git doesn't ignore."
    if hidden:
        yield f"Documents in hidden folders, left out: {hidden.total():,} ({_listed(hidden)})."


def _listed(folders: Counter[str]) -> str:
    named = [f"{_shown(name)} {count:,}" for name, count in folders.most_common(_NAMED_FOLDERS)]
    more = len(folders) - len(named)
    return ", ".join(named) + (f", {more} more folders" if more else "")


def assignment(key: Key, hidden: Counter[str]) -> Iterator[str]:
    """Show a key in TOML at its default, or at what the tree suggests for it.

    Args:
        key: a row of the table of keys.
        hidden: documents in each hidden folder of the tree.
    """
    name = key.name.rpartition(".")[2]
    value = key.default
    if key.name == "docs.hidden" and hidden:
        value = tuple(folder for folder, _ in hidden.most_common(_NAMED_FOLDERS))
    if value is None:
        yield f"# [{key.name}]"
        return
    if not _is_tables(value):
        yield f"{name} = {_toml(value)}"
        return
    for record in value:
        yield f"[[{key.name}]]"
        for part, of_record in record._asdict().items():
            yield f"{part} = {_toml(of_record)}"


def _is_tables(value: object) -> "TypeIs[tuple[CorpusRule, ...]]":
    return isinstance(value, tuple) and any(isinstance(item, CorpusRule) for item in value)


def _toml(value: object) -> str:
    return tomlkit.item(list(value) if isinstance(value, tuple) else value).as_string()


def _shown(folder: str) -> str:
    """A folder's name within a comment: one that would break the line is quoted."""
    return folder if folder.isprintable() else _toml(folder)


def _top_folder(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return folder + "/" if slash else _TOP


def _hidden_folder(path: str) -> str:
    """The path of the outermost hidden folder a file lies in; empty where it lies in none."""
    folders = path.split("/")[:-1]
    for depth, name in enumerate(folders, 1):
        if name.startswith("."):
            return "/".join(folders[:depth]) + "/"
    return ""
