"""A source: a place that documents come from."""

from dataclasses import dataclass


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
    max_file_bytes: int = 10_000_000
    assignment: str | None = None
    """The scope of facts whose folder it is; None for everything else."""
    entries: str | None = None
    """Folder below the root whose files are push memory where their names say so; empty is the root
    itself, None where there is none."""
