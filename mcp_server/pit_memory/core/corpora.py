"""Corpora: which files a section index covers, and where it lies. A project may hold several."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CorpusRule:
    """One `[[sections.corpora]]` table of the settings: one corpus, or one a folder of `root`."""

    root: str = "."
    """Folder of the corpus, relative to the project; `*` makes each folder it matches a corpus."""
    files: tuple[str, ...] = ("knowledge/*.md", "skills/*/SKILL.md")
    """Globs of the files to index, relative to `root`; hidden folders only where named."""
    index: str = "knowledge/index.json"
    """The index file, relative to `root`; stays inside the project."""
    prose: tuple[str, ...] = (
        "AGENTS.md",
        "CLAUDE.md",
        "agents/**/*.md",
        "commands/**/*.md",
        "memory/*.md",
        "skills/**/*.md",
    )
    """Globs of the files agents are told things in, whose references to corpora are checked."""


DEFAULT_RULES = (CorpusRule(), CorpusRule(root="plugins/*"))
"""A plugin at the top of its repository, or a marketplace with one folder for each plugin."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that exists in a project."""

    root: str
    """POSIX folder relative to the project; empty for the project itself."""
    files: tuple[str, ...]
    """Paths relative to `root`, in code-point order."""
    index: str
    """Path of its index file, relative to `root`."""
    prose: tuple[str, ...]
    """Paths relative to `root`, in code-point order."""
