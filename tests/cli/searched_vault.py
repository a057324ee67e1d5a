"""A note of a vault, what a search of it finds, and whether the vault stays as it is."""

import hashlib
import json
from pathlib import Path

from tests.cli.commands import run

NOTE = "# Apes\n\n## Diet\n\nThe gibbon eats figs at dawn.\n"


def tree_hash(folder: Path) -> str:
    """Names, bytes, modes and times of everything below a folder."""
    seen = []
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        data = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
        seen.append(
            (place.name, hashlib.sha256(data).hexdigest(), status.st_mtime_ns, status.st_mode)
        )
    return hashlib.sha256(repr(seen).encode()).hexdigest()


def found(capsys, question, *arguments):
    """Refs without hashes that answer a question."""
    outcome = run(capsys, "search", question, "--json", *arguments)
    assert outcome.code == 0, outcome.err
    return [hit["ref"].rpartition("@")[0] for hit in json.loads(outcome.out)["hits"]]
