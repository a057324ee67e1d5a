"""Section entries that were made before, kept between processes: only changed files are parsed.

A cache: it may be deleted at any time, and what keeps it from being read or written is no concern
of anybody. It is keyed by content, and thrown away when the code that makes entries changes.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from pit_memory import core
from pit_memory.core.corpus.section_entries import Entry
from pit_memory.core.corpus.section_index import EntriesByContent
from pit_memory.errors import StorageFullError
from pit_memory.workspace.files import make_data_folder, write_atomic
from pit_memory.workspace.places import Places, section_entries

MAX_FILES = 5_000
"""Contents that are remembered, the latest: a few megabytes at most."""

_MAKERS = (
    *("markdown", "documents/anchors", "documents/outline", "front_matter/block"),
    *("text/decoding", "text/html_text", "text/plain_text"),
    *("corpus/section_entries", "corpus/section_index", "corpus/summaries"),
)
"""Modules of core that decide what an entry says."""
_PARSER = "pyromark 0.10.3"
"""The library they read markdown with: another release may read it otherwise."""


@contextmanager
def known_entries(where: Places) -> Iterator[EntriesByContent]:
    """Give the entries of contents seen before; those added in the block are remembered."""
    file = section_entries(where)
    made_by = _fingerprint()
    known = _read(file, made_by)
    before = len(known)
    yield known
    if len(known) > before:
        latest = dict(list(known.items())[-MAX_FILES:])
        rows = {
            content: [[heading, *_row(entry)] for heading, entry in entries.items()]
            for content, entries in latest.items()
        }
        with suppress(OSError, StorageFullError):
            make_data_folder(file.parent)
            write_atomic(file, json.dumps({"made_by": made_by, "files": rows}).encode())


def _row(entry: Entry) -> tuple[str, str]:
    return entry.summary, entry.anchor


def _read(file: Path, made_by: str) -> EntriesByContent:
    try:
        kept = json.loads(file.read_bytes())
        rows: Mapping[str, list[list[str]]] = kept["files"] if kept["made_by"] == made_by else {}
        return {
            content: {heading: Entry(summary, anchor) for heading, summary, anchor in entries}
            for content, entries in rows.items()
        }
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _fingerprint() -> str:
    """Tell one version of the code that makes entries from another."""
    folder = Path(core.__file__).parent
    digest = sha256(_PARSER.encode())
    for name in _MAKERS:
        digest.update((folder / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]
