"""What a look at a source has seen."""

from dataclasses import dataclass
from typing import Literal

from pit_memory.core.documents.freshness import SeenFile
from pit_memory.sources.sieve import LeftOut

Via = Literal["git", "scandir"]
"""Who named the files: git, or the folders they lie in."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a look saw."""

    files: tuple[SeenFile, ...]
    """Each path once, in no particular order."""
    left_out: tuple[LeftOut, ...]
    """By reason."""
    not_looked: tuple[str, ...]
    """Files and folders that could not be looked at: what is known there may still exist. The whole
    source is the empty path."""
    device: int
    """Device number of the root."""
    via: Via
    notes: tuple[str, ...]
    """What a person should know of this listing, one line each."""
