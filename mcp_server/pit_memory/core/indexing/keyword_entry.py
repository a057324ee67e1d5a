"""What the keyword index holds of a document: one entry a chunk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pit_memory.core.documents.documents import Chunk, Document
from pit_memory.core.documents.incident_record import Incident
from pit_memory.core.facts.fact_words import fact_fields
from pit_memory.core.facts.facts import FACTS
from pit_memory.core.text.dates import date_tokens, found_dates
from pit_memory.core.text.words import FieldTexts, field_texts, folded, joined

ENTRIES_VERSION = 3
"""Raised when `entries_for` (or `core.text.words`) says something else of the same document: every
store then builds its keyword index anew."""

HEADING_WEIGHT = 4
"""How often a token counts; body and path count once. Measured together: 3 to 5 are alike."""
ANCESTOR_WEIGHT = 2
TITLE_WEIGHT = 2
PAGE_TITLE_WEIGHT = 4
"""In the entry of a whole record, which is longer."""
FRONT_MATTER_WEIGHT = 2
"""Description, tags and aliases, in the page's first chunk."""
_NOTHING = FieldTexts("", "")


@dataclass(frozen=True, slots=True)
class KeywordEntry:
    """The words of one chunk, ready to index. A token weighs as often as it is repeated.

    `exact` and `stems` are tokens separated by single spaces, already folded and stemmed: the index
    splits them at the spaces and does nothing else to them.
    """

    exact: str
    """Whole identifiers, their parts and words as they are written."""
    stems: str
    """Word stems."""
    literal: str
    """The chunk's folded text, for a field of three-character grams: finds a literal inside longer
    words (`KeywordLeg.holding`)."""
    language: str = "en"
    """Of its section, ISO 639-1."""
    page: FieldTexts = _NOTHING
    """The whole document, in the first entry of an incident record: its parts speak of one thing,
    so the record is ranked as a whole (`KeywordLeg.rank_pages`)."""


EntryBuilder = Callable[[Document], Sequence[KeywordEntry]]
"""How a document becomes entries, one for each of its chunks in order."""


def entries_for(document: Document) -> list[KeywordEntry]:
    """The entries of a document, one for each of its chunks in order, stemmed in its language."""
    if document.collection == FACTS:
        return [_fact_entry(document, chunk) for chunk in document.chunks]
    described = " ".join((document.description, *document.tags, *document.aliases))
    named: dict[str, tuple[FieldTexts, FieldTexts]] = {}
    headed: tuple[FieldTexts, ...] = ()
    under: tuple[int, str] | None = None
    entries = []
    for number, chunk in enumerate(document.chunks):
        spoken = chunk.language
        if spoken not in named:
            named[spoken] = (
                _repeated(field_texts(document.title, spoken), TITLE_WEIGHT),
                field_texts(str(PurePosixPath(document.path).with_suffix("")), spoken),
            )
        if under != (chunk.section, spoken):
            under = chunk.section, spoken
            headed = _headings(document, chunk)
        about_page: tuple[FieldTexts, ...] = ()
        if number == 0:
            about_page = (_repeated(field_texts(described, spoken), FRONT_MATTER_WEIGHT),)
        body = field_texts(chunk.text, spoken)
        fields = joined((*headed, *named[spoken], *about_page, body))
        page = _page(document, document.incident) if document.incident and not number else _NOTHING
        entries.append(KeywordEntry(fields.exact, fields.stems, folded(chunk.text), spoken, page))
    return entries


def _fact_entry(document: Document, chunk: Chunk) -> KeywordEntry:
    fields = fact_fields(document, chunk)
    return KeywordEntry(fields.exact, fields.stems, folded(chunk.text))


def _headings(document: Document, chunk: Chunk) -> tuple[FieldTexts, FieldTexts]:
    section = document.sections[chunk.section]
    own = _repeated(field_texts(section.heading, chunk.language), HEADING_WEIGHT)
    ancestors = " ".join(section.breadcrumb[:-1])
    above = _repeated(field_texts(ancestors, chunk.language), ANCESTOR_WEIGHT)
    return own, above


def _repeated(fields: FieldTexts, times: int) -> FieldTexts:
    return joined([fields] * times)


def _page(document: Document, incident: Incident) -> FieldTexts:
    """An incident record as a whole: its title, its path, what its front matter says, its text."""
    spoken = document.chunks[0].language
    return joined(
        (
            _repeated(field_texts(document.title, spoken), PAGE_TITLE_WEIGHT),
            field_texts(str(PurePosixPath(document.path).with_suffix("")), spoken),
            _repeated(field_texts(incident.said, spoken), FRONT_MATTER_WEIGHT),
            *(field_texts(chunk.text, chunk.language) for chunk in document.chunks),
            _dates(document, incident),
        )
    )


def _dates(document: Document, incident: Incident) -> FieldTexts:
    """Every date that the record names, in the one form that a question's dates have, too."""
    texts = (document.path, document.title, *(chunk.text for chunk in document.chunks))
    found = (it.value for it in found_dates("\n".join(texts)))
    days = filter(None, (incident.date, incident.until, *found))
    return FieldTexts(" ".join(dict.fromkeys(it for day in days for it in date_tokens(day))), "")
