"""The reader of markdown files: bytes to Document, front matter included."""

from pit_memory.core.documents import Document


def read_document(
    path: str,
    data: bytes,
    *,
    kind: str = "document",
    collection: str = "docs",
) -> Document:
    """Read one markdown file; whatever is wrong in it becomes a Problem, never an error.

    Args:
        path: POSIX path relative to the source root; names the problems and, at last, the title.
        data: the file's bytes as they are on disk.
    """
    raise NotImplementedError
