"""A source: a place that documents come from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Dialect = Literal["markdown", "obsidian"]
"""What `.md` means: Obsidian adds comments, tags and block ids, and resolves links by name."""

MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx")
"""What a project's own documents are, unless its settings name more."""
FOLDER_PAGES = ("index", "README", "_index")
"""Pages that stand for their folder, without ending."""
_FOLDED_FOLDER_PAGES = frozenset(map(str.lower, FOLDER_PAGES))


def stands_for_folder(stem: str) -> bool:
    """Tell whether a file, by its name without ending, says less than its folder's name."""
    return stem.lower() in _FOLDED_FOLDER_PAGES


@dataclass(frozen=True, slots=True)
class Source:
    """One folder of documents and what its documents are."""

    name: str
    """Empty for the project's own documents; else the name that stands before `::` in a ref."""
    root: str
    """Absolute path of its folder; document paths are relative to it."""
    collection: str = "docs"
    """Where its documents are searched, unless a document says otherwise."""
    kind: str = "document"
    """What its documents are, unless a document says otherwise: a row of core.kinds."""
    include: tuple[str, ...] = ()
    """Globs below the root; empty means every file of a known format."""
    exclude: tuple[str, ...] = ()
    """Globs below the root that are never indexed."""
    hidden: tuple[str, ...] = ()
    """Globs of hidden files and folders that are looked at all the same."""
    endings: tuple[str, ...] = MARKDOWN_ENDINGS
    """Of the files that are documents, in lower case: formats that a reader exists for."""
    dialect: Dialect = "markdown"
    """What markdown means there."""
    inner: tuple[str, ...] = ()
    """Folders below the root that are sources of their own: each file is indexed once."""
    max_file_bytes: int = 10_000_000
    assignment: str | None = None
    """The scope of facts whose folder it is; None for everything else."""
    entries: str | None = None
    """Folder below the root whose files are push memory where their names say so; empty is the root
    itself, None where there is none."""
    incidents: tuple[str, ...] = ()
    """Globs below the root: their files are incident records."""

    @property
    def reads_as(self) -> str:
        """What its files are taken for; where that changes, they are read again."""
        return repr((self.collection, self.kind, self.entries, self.incidents, self.dialect))


def inside(root: str, folder: str) -> str | None:
    """The path of a folder relative to a root it lies strictly inside of; None elsewhere.

    Args:
        root: absolute, symlinks resolved.
        folder: likewise.
    """
    top = root.rstrip("/") + "/"
    return folder[len(top) :] if folder.startswith(top) and folder != top else None


def without_overlap(sources: Sequence[Source], others: Sequence[str] = ()) -> tuple[Source, ...]:
    """The sources, each leaving out the folders of those inside it, so that a file counts once.

    Args:
        sources: with absolute roots, symlinks resolved.
        others: further roots that are indexed elsewhere.
    """
    roots = {*(source.root for source in sources), *others}

    def inner(source: Source) -> tuple[str, ...]:
        return tuple(sorted(path for root in roots if (path := inside(source.root, root))))

    return tuple(replace(source, inner=inner(source)) for source in sources)
