"""Which paths of a source are documents, by name alone, and a tally of those that aren't."""

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Literal

from pit_memory.core.source import MARKDOWN_ENDINGS, Source
from pit_memory.core.text.globs import Globs
from pit_memory.sources.formats import ENDINGS, most_bytes
from pit_memory.sources.vault import NOTHING_IGNORED, Ignored, ignored_in

_LONGEST_ENDING = max(map(len, ENDINGS))

CLOUD_ENDING = ".icloud"
"""Older macOS leaves `.Note.md.icloud` where a note is in the cloud only."""

VIRTUAL_ENVIRONMENT_MARK = "pyvenv.cfg"
"""Every Python virtual environment has this file at its top."""

EXAMPLES = 5
"""Paths that are named for each reason."""

Reason = Literal[
    "of another format",
    "not included",
    "excluded",
    "hidden",
    "excluded in Obsidian",
    "a source of its own",
    "kept as facts",
    "node_modules",
    "virtual environment",
    "ignored by git",
    "too large",
    "in the cloud only",
    "symlink leaves the root",
    "symlink loop",
    "symlink to nothing",
    "symlink to a folder",
    "symlink to an indexed file",
    "not a regular file",
    "unreadable",
    "name is not UTF-8",
    "worktree of the same repository",
    "submodule is not checked out",
]
"""Why a file or folder is left out. `of another format`: no reader exists for its ending."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that aren't indexed for one reason. A folder that is skipped whole counts as one."""

    reason: Reason
    count: int
    examples: tuple[str, ...]
    """The first few paths; a folder ends in `/`. Bytes that aren't UTF-8 are written `\\xff`."""
    endings: tuple[tuple[str, int], ...] = ()
    """Of files of unknown formats: ending and count, the most frequent first; where asked for."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Which files of a source are documents."""

    include: tuple[str, ...] = ()
    """Globs (`core.text.globs`); empty means every file of a known format."""
    exclude: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Globs of hidden files and folders (`.name`) that are looked at all the same, as are those
    that `include` names."""
    endings: tuple[str, ...] = MARKDOWN_ENDINGS
    """Of the files that are documents, in lower case."""
    ignored: Ignored = NOTHING_IGNORED
    """What the settings of a vault exclude."""
    inner: tuple[str, ...] = ()
    """Folders that are sources of their own."""
    max_file_bytes: int = 10_000_000
    """Of text; `sources.formats` allows more for formats that are mostly pictures."""

    def is_too_large(self, path: str, size: int) -> bool:
        """Tell whether a file is larger than may be."""
        return size > self.max_file_bytes and size > most_bytes(path, self.max_file_bytes)


class Tally:
    """Counts what is left out, by reason, with a few examples."""

    def __init__(self, *, with_endings: bool = False) -> None:
        """Count nothing yet.

        Args:
            with_endings: also count unknown formats by their endings.
        """
        self._endings: Counter[str] | None = Counter() if with_endings else None
        self._counts: dict[Reason, int] = {}
        self._examples: dict[Reason, list[str]] = {}

    def empty(self) -> "Tally":
        """Return one that counts the same, from the beginning."""
        return Tally(with_endings=self._endings is not None)

    def add(self, reason: Reason, path: str) -> None:
        """Count one file or skipped folder."""
        self.add_all(reason, [path])

    def add_all(self, reason: Reason, paths: Sequence[str]) -> None:
        """Count files and skipped folders."""
        if paths:
            examples = self._examples.setdefault(reason, [])
            examples += paths[: EXAMPLES - len(examples)]
            self._counts[reason] = self._counts.get(reason, 0) + len(paths)
            if reason == "of another format" and self._endings is not None:
                self._endings.update(map(_shown_ending, paths))

    def copy(self) -> "Tally":
        """Return one that has counted the same and goes on by itself."""
        copied = Tally()
        copied._endings = None if self._endings is None else self._endings.copy()
        copied._counts = self._counts.copy()
        copied._examples = {reason: paths.copy() for reason, paths in self._examples.items()}
        return copied

    def include(self, other: "Tally") -> None:
        """Count what another one has counted, too."""
        for reason, count in other._counts.items():
            examples = self._examples.setdefault(reason, [])
            examples += other._examples[reason][: EXAMPLES - len(examples)]
            self._counts[reason] = self._counts.get(reason, 0) + count
        if self._endings is not None and other._endings is not None:
            self._endings.update(other._endings)

    def groups(self) -> tuple[LeftOut, ...]:
        """Return the groups by reason."""
        return tuple(
            LeftOut(
                reason,
                count,
                tuple(_printable(path) for path in self._examples[reason]),
                tuple(self._endings.most_common())
                if reason == "of another format" and self._endings
                else (),
            )
            for reason, count in sorted(self._counts.items())
        )


class _Folder(Enum):
    OPEN = 1
    """Its documents are indexed."""
    PASSAGE = 2
    """Hidden and not named itself: only what is named below it is indexed."""
    SKIPPED = 3


class Sieve:
    """Says of each path whether it is a document; counts the others, a skipped folder once."""

    def __init__(self, rules: Rules, tally: Tally) -> None:
        """Compile the rules. Raises UsageError for a glob that can't be read."""
        self._include = Globs(rules.include)
        self._exclude = Globs(rules.exclude)
        self._hidden = Globs((*rules.hidden, *filter(_names_hidden, rules.include)))
        self._tally = tally
        self._ignored = rules.ignored
        self._endings = rules.endings
        self._folders: dict[str, _Folder] = {"": _Folder.OPEN}
        for folder in rules.inner:
            self.skip_folder(folder, "a source of its own")

    @property
    def tally(self) -> Tally:
        """What was left out so far."""
        return self._tally

    def copy(self, *, tally: Tally | None = None) -> "Sieve":
        """Return one that has seen the same and goes on by itself.

        Args:
            tally: what it counts in; a copy of this one's, if there is none.
        """
        copied = copy(self)
        copied._tally = self._tally.copy() if tally is None else tally
        copied._folders = self._folders.copy()
        return copied

    def skip_virtual_environments(self, paths: Iterable[str]) -> None:
        """Skip every folder below the root whose mark is among some paths."""
        ending = "/" + VIRTUAL_ENVIRONMENT_MARK
        for mark in [path for path in paths if path.endswith(ending)]:
            self.skip_folder(mark.removesuffix(ending), "virtual environment")

    def skip_folder(self, folder: str, reason: Reason) -> None:
        """Leave a folder out whole, unless it already is."""
        if self.enters(folder):
            self._folders[folder] = _Folder.SKIPPED
            self._tally.add(reason, folder + "/")

    def enters(self, folder: str) -> bool:
        """Tell whether anything in a folder can be a document."""
        return self._folder(folder) is not _Folder.SKIPPED

    def documents(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that are documents by their names; one loop, as a look has thousands."""
        folders, open_folder, skipped = self._folders, _Folder.OPEN, _Folder.SKIPPED
        endings = self._endings
        plain = not (self._include or self._exclude or self._ignored)
        found, others = [], []
        for path in paths:
            folder, _, name = path.rpartition("/")
            place = folders.get(folder) or self._folder(folder)
            if place is skipped:
                continue
            if not name[-_LONGEST_ENDING:].lower().endswith(endings):
                others.append(path)
            elif plain and place is open_folder and name[0] != "." and path.isascii():
                found.append(path)
            elif why := self._why_not(path, name, place):
                self._tally.add(why, path)
            else:
                found.append(path)
        clouded = [path for path in others if path.endswith(CLOUD_ENDING)]
        self._tally.add_all("in the cloud only", clouded)
        self._tally.add_all(
            "of another format",
            [path for path in others if path not in clouded] if clouded else others,
        )
        return found

    def _why_not(self, path: str, name: str, place: _Folder) -> Reason | None:
        hidden = place is _Folder.PASSAGE or name[0] == "."
        if hidden and not self._hidden.match(path):
            return "hidden"
        if self._exclude.match(path):
            return "excluded"
        if self._include and not self._include.match(path):
            return "not included"
        if self._ignored and self._ignored.match(path):
            return "excluded in Obsidian"
        return None if _is_unicode(path) else "name is not UTF-8"

    def _folder(self, folder: str) -> _Folder:
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._judge_folder(folder)
        return known

    def _judge_folder(self, folder: str) -> _Folder:
        above, _, name = folder.rpartition("/")
        place = self._folder(above)
        if place is _Folder.SKIPPED:
            return place
        if name == "node_modules":
            return self._skip("node_modules", folder)
        if self._exclude.match(folder + "/"):
            return self._skip("excluded", folder)
        if place is _Folder.OPEN and name[:1] != ".":
            return place
        if self._hidden.match(folder + "/"):
            return _Folder.OPEN
        if self._hidden.leads_to(folder + "/"):
            return _Folder.PASSAGE
        return self._skip("hidden", folder)

    def _skip(self, reason: Reason, folder: str) -> _Folder:
        self._tally.add(reason, folder + "/")
        return _Folder.SKIPPED


def rules_of(source: Source) -> Rules:
    """Which files of a source are documents."""
    return Rules(
        include=source.include,
        exclude=source.exclude,
        hidden=source.hidden,
        endings=source.endings,
        ignored=ignored_in(Path(source.root)) if source.dialect == "obsidian" else NOTHING_IGNORED,
        inner=source.inner,
        max_file_bytes=source.max_file_bytes,
    )


def is_document(source: Source, path: str) -> bool:
    """Tell by its name alone whether a file is one that a source indexes."""
    return bool(Sieve(rules_of(source), Tally()).documents([path]))


def _names_hidden(glob: str) -> bool:
    return any(name.startswith(".") and name != "." for name in glob.split("/"))


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown_ending(path: str) -> str:
    """What people call a format: `png`; a file without an ending counts as such."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _printable(ending.lower()) if stem and dot else "no ending"


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
