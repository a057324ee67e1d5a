"""What a fact is found by, and what a question asks of facts: stems, and days.

A fact tells of a day, which its text seldom names; a question often does ("on 7 July, 2023"). So
its day is indexed as people write it and as one token, which a question's date becomes as well.
"""

import re

from pit_memory.core.documents.documents import Chunk, Document
from pit_memory.core.search.legs import KeywordTerms
from pit_memory.core.search.queries import Query
from pit_memory.core.text.dates import date_tokens, found_dates
from pit_memory.core.text.irregular_words import base_stem
from pit_memory.core.text.words import FieldTexts, field_texts, joined

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAY = re.compile(r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>\d\d)")


def fact_fields(document: Document, chunk: Chunk) -> FieldTexts:
    """The words of a fact: topic and text count alike; its file's name is a hash and says nothing.

    Args:
        document: the fact.
        chunk: its only one.
    """
    day = _DAY.match(document.date)
    written = f"{int(day['day'])} {_MONTHS[int(day['month']) - 1]} {day['year']}" if day else ""
    tokens = " ".join(date_tokens(day[0])) if day else ""
    texts = map(field_texts, (document.title, chunk.text, written))
    fields = joined((*texts, FieldTexts(tokens, tokens)))
    return FieldTexts(fields.exact, " ".join(map(base_stem, fields.stems.split(" "))))


def fact_terms(query: Query) -> KeywordTerms:
    """What a question asks of facts: its stems, and the days and months that it names."""
    named = (token for found in found_dates(query.text) for token in date_tokens(found.value))
    asked = map(base_stem, query.terms.stems)
    return KeywordTerms((), tuple(dict.fromkeys((*asked, *named))))
