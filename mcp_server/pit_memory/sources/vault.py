"""An Obsidian vault: where it begins, and what its owner set aside."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.push.trigger_patterns import why_refused
from pit_memory.core.source import Dialect
from pit_memory.workspace.files import read_bytes

SETTINGS_FOLDER = ".obsidian"
"""Where Obsidian keeps the settings of a vault, at its top."""
_MOST_BYTES = 1_000_000
"""Of its settings."""


def dialect_of(folder: Path) -> Dialect:
    """Tell what markdown means in a folder: that of Obsidian in a vault and everywhere below."""
    return "obsidian" if vault_of(folder) else "markdown"


def vault_of(folder: Path) -> Path | None:
    """The top of the vault that a folder is or lies in; None outside of any."""
    place = os.fspath(folder)
    while not os.path.isdir(f"{place}/{SETTINGS_FOLDER}"):  # noqa: PTH112 -- asked at every search
        above = os.path.dirname(place)  # noqa: PTH120
        if above == place:
            return None
        place = above
    return Path(place)


@dataclass(frozen=True, slots=True)
class Ignored:
    """What the settings of a vault exclude: Settings, Files and links, Excluded files."""

    above: str
    """The source's root relative to the vault's top, with `/` at its end; empty for the top."""
    prefixes: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    notes: tuple[str, ...]
    """What could not be read of them, one line each."""

    def __bool__(self) -> bool:
        """Tell whether anything is excluded."""
        return bool(self.prefixes or self.patterns)

    def match(self, path: str) -> bool:
        """Tell whether a path, relative to the source's root, is excluded."""
        whole = self.above + path
        return whole.startswith(self.prefixes) or any(it.search(whole) for it in self.patterns)


NOTHING_IGNORED = Ignored("", (), (), ())


def ignored_in(folder: Path) -> Ignored:
    """What the vault around a folder excludes, as its settings say it now."""
    top = vault_of(folder)
    if top is None:
        return NOTHING_IGNORED
    settings = top / SETTINGS_FOLDER / "app.json"
    try:
        said = json.loads(read_bytes(settings, _MOST_BYTES))
    except FileNotFoundError:
        return NOTHING_IGNORED
    except (OSError, ValueError, RecursionError) as error:
        note = f"{settings} can't be read ({error}): what it excludes is not left out"
        return Ignored("", (), (), (note,))
    filters = said.get("userIgnoreFilters") if isinstance(said, dict) else None
    listed = filters if isinstance(filters, list) else []
    texts = [it for it in listed if isinstance(it, str) and it.strip("/ ")]
    above = "" if top == folder else folder.relative_to(top).as_posix() + "/"
    patterns, notes = [], []
    for text in texts:
        if not _is_pattern(text):
            continue
        if why := why_refused(text[1:-1]):
            notes.append(f"{settings}: {why}; what it excludes is not left out")
        else:
            patterns.append(re.compile(text[1:-1]))
    prefixes = tuple(text for text in texts if not _is_pattern(text))
    return Ignored(above, prefixes, tuple(patterns), tuple(notes))


def _is_pattern(text: str) -> bool:
    return len(text) > 2 and text.startswith("/") and text.endswith("/")
