"""Looks at a source, told in a few words."""

from pathlib import Path

from pit_memory.sources.listing import Listing
from pit_memory.sources.sieve import Rules
from pit_memory.sources.walker import list_source


def paths(listing: Listing) -> list[str]:
    return sorted(file.path for file in listing.files)


def left_out(listing: Listing) -> dict[str, tuple[int, tuple[str, ...]]]:
    return {group.reason: (group.count, group.examples) for group in listing.left_out}


def look(root: Path, **rules: tuple[str, ...] | int) -> Listing:
    return list_source(root, Rules(**rules))  # type: ignore[arg-type]
