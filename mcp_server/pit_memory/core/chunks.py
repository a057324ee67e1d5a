"""What is indexed: sections, the long ones cut on line boundaries."""

from pit_memory.core.documents import Chunk
from pit_memory.core.sections import ParsedMarkdown

CHUNK_TOKENS = 200
"""Estimated word pieces a chunk may have; 128 to 256 retrieve equally well, and the model reads 256."""


def chunk(parsed: ParsedMarkdown, page_title: str) -> tuple[Chunk, ...]:
    """Cut a document's sections into chunks of about 200 estimated tokens.

    Args:
        page_title: front matter title, else first H1, else the file's name; starts every embedded breadcrumb.
    """
    raise NotImplementedError
