"""Corpora: which files a section index covers, and where it lies. A project may hold several."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

from pit_memory.core.records import NamedTuple
from pit_memory.core.text.globs import Globs


class CorpusRule(NamedTuple):
    """One `[[sections.corpora]]` table of the settings: one corpus, or one a folder of `root`."""

    root: str = "."
    """Folder of the corpus, relative to the project; `*` makes each folder it matches a corpus."""
    files: tuple[str, ...] = ("knowledge/*.md", "skills/*/SKILL.md")
    """Globs of the files to index, relative to `root`; hidden folders only where named."""
    index: str = "knowledge/index.json"  # type: ignore[assignment] # hides a method of tuples
    """The index file, relative to `root`; stays inside the project."""
    prose: tuple[str, ...] = (
        "./AGENTS.md",
        "./CLAUDE.md",
        "agents/**/*.md",
        "commands/**/*.md",
        "memory/*.md",
        "skills/**/*.md",
    )
    """Globs of the files agents are told things in, whose references to corpora are checked."""


DEFAULT_RULES = (CorpusRule(), CorpusRule(root="plugins/*"))
"""A plugin at the top of its repository, or a marketplace with one folder for each plugin."""


class Corpus(NamedTuple):
    """What one rule, or several with one index, found in a tree. Paths are relative to its root."""

    root: str
    """POSIX folder relative to the project; empty for the project itself."""
    index: str  # type: ignore[assignment] # hides a method of tuples
    """Path of its index file."""
    has_index: bool
    """Whether that file exists."""
    files: tuple[str, ...]
    """In code-point order."""
    prose: tuple[str, ...]
    """In code-point order."""

    def in_project(self, path: str) -> str:
        """Return a path of the corpus as seen from the project."""
        return f"{self.root}/{path}" if self.root else path

    @property
    def is_indexed(self) -> bool:
        """Whether there is something to index; else there is only prose."""
        return bool(self.files) or self.has_index

    @property
    def index_path(self) -> str:
        """The index file as seen from the project."""
        return self.in_project(self.index)


def corpora_among(
    paths: Iterable[str], rules: Sequence[CorpusRule], *, prose: bool = True
) -> tuple[Corpus, ...]:
    """Find the corpora of a tree: those that hold a file, an index or prose.

    Args:
        paths: files relative to the project, POSIX.
        rules: two that write the same index make one corpus.
        prose: look for prose as well.
    """
    paths = tuple(paths)
    found: dict[tuple[str, str], _Found] = {}
    for rule in rules:
        reader = _reader(rule)
        for path in paths:
            place = reader.place(path)
            if place is None:
                continue
            root, relative = place
            corpus = found.setdefault((root, rule.index), _Found())
            corpus.has_index = corpus.has_index or relative == rule.index
            if reader.files.match(relative):
                corpus.files.add(relative)
            if prose and reader.prose.match(relative):
                corpus.prose.add(relative)
    return tuple(
        Corpus(root, index, made.has_index, tuple(sorted(made.files)), tuple(sorted(made.prose)))
        for (root, index), made in sorted(found.items())
        if made.files or made.has_index or made.prose
    )


def folders_to_list(rules: Sequence[CorpusRule]) -> tuple[str, ...]:
    """Return the files and folders of a project outside of which no rule looks."""
    places: set[str] = set()
    for rule in rules:
        for pattern in (*rule.files, *rule.prose, "./" + rule.index):
            # A pattern without a slash matches at any depth.
            below = _names(pattern) if "/" in pattern else ["**"]
            fixed = list(takewhile(lambda name: not _is_pattern(name), _names(rule.root) + below))
            places.add("/".join(fixed) or ".")
    return (".",) if "." in places else tuple(sorted(places))


class _Found:
    def __init__(self) -> None:
        self.has_index = False
        self.files: set[str] = set()
        self.prose: set[str] = set()


class _RuleReader:
    """A rule, compiled."""

    def __init__(self, rule: CorpusRule) -> None:
        names = _names(rule.root)
        self._depth = len(names)
        self._root = "/".join(names)
        self._roots = _Matcher((rule.root,)) if any(map(_is_pattern, names)) else None
        self.files = _Matcher(rule.files)
        self.prose = _Matcher(rule.prose)

    def place(self, path: str) -> tuple[str, str] | None:
        """Split a path into the root of its corpus and the path below it; None outside of any."""
        parts = path.split("/")
        if len(parts) <= self._depth:
            return None
        root = "/".join(parts[: self._depth])
        if root == self._root or (self._roots and self._roots.match(root)):
            return root, "/".join(parts[self._depth :])
        return None


@lru_cache
def _reader(rule: CorpusRule) -> _RuleReader:
    return _RuleReader(rule)


class _Matcher:
    """Globs that match something hidden only where they name a hidden folder or file."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._all = Globs(patterns)
        hidden = [pattern for pattern in patterns if any(map(_is_hidden, _names(pattern)))]
        self._naming_hidden = Globs(hidden)

    def match(self, path: str) -> bool:
        globs = self._naming_hidden if any(map(_is_hidden, path.split("/"))) else self._all
        return globs.match(path)


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[\\")
