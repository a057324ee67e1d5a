"""The reader of facts: a file of an assignment's folder to a Document of one section."""

from pit_memory.core.documents.documents import Chunk, Document, Problem, Section
from pit_memory.core.facts.facts import FACTS, parse_fact
from pit_memory.core.search.queries import telling_stems
from pit_memory.core.text.identity import content_hash, section_hash

SUPERSEDED = "superseded"
"""Status in the index of a fact whose file names what replaces it: no search asks for it."""


def read_fact(path: str, data: bytes, folder: str) -> Document:
    """Read a fact's file.

    Args:
        path: POSIX path below the assignment's folder.
        data: the file's bytes.
        folder: name of that folder.

    Raises:
        FactFileError: folder, front matter and marker don't name one assignment, or it is no fact.
    """
    read = parse_fact(path, data, folder)
    fact = read.fact
    lines = fact.text.split("\n")
    first, last = read.text_line, read.text_line + len(lines) - 1
    section = Section(0, 0, "", "", (), (), first, last, section_hash(lines))
    # A topic that the text names would count twice.
    says_topic = telling_stems(fact.topic) <= telling_stems(fact.text)
    embedded = fact.text if says_topic else f"{fact.topic}\n{fact.text}"
    fields = {
        "expires": fact.expires,
        "supersedes": fact.supersedes,
        "source_id": fact.source_id,
    }
    return Document(
        path=path,
        title=fact.topic,
        description="",
        tags=(),
        aliases=(),
        kind="fact",
        collection=FACTS,
        status=SUPERSEDED if fact.superseded_by else fact.status,
        audience="ai_internal",
        assignment=fact.assignment,
        content_hash=content_hash(data),
        line_count=read.line_count,
        sections=(section,),
        chunks=(Chunk(0, 0, first, last, fact.text, embedded),),
        problems=tuple(Problem(path, line, "fact", message) for line, message in read.notes),
        date=fact.created,
        fields={name: value for name, value in fields.items() if value},
    )
