"""A question about past incidents: asked in words, or pasted whole."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pit_memory.core.documents.incident_record import MONTH_LENGTH
from pit_memory.core.incidents.error_message import ErrorText
from pit_memory.core.incidents.error_text import is_alert_name, read_error_text
from pit_memory.core.search.queries import Query, analyse
from pit_memory.core.text.dates import found_dates, without_dates
from pit_memory.core.text.languages import language_of_question

MAX_DATES = 10
"""A question names one or two; more are a timeline."""

_WORDS_BESIDE_A_DATE = 1
"""Telling words of a question about a date alone: `happened`, `incidents`, `broke`."""


@dataclass(frozen=True, slots=True)
class IncidentQuestion:
    """What is asked, ready for both legs."""

    query: Query
    """Its `text` is what tells of a pasted text; its dates are those that a person names."""
    is_alert: bool
    """An alert, or the bare name of one: a runbook is what helps first."""
    names: tuple[str, ...]
    """Of the alert, or of error classes."""

    @property
    def asks_by_date(self) -> bool:
        """Nothing but when is asked ("what happened on 14 March 2024", "outages in May 2024")."""
        return bool(self.query.dates) and len(self.query.headline) <= _WORDS_BESIDE_A_DATE

    @property
    def answering_dates(self) -> tuple[str, ...]:
        """Dates whose every incident answers: a day does, a month only where it is all of it."""
        return tuple(
            day for day in self.query.dates if self.asks_by_date or len(day) > MONTH_LENGTH
        )


def read_question(text: str, known: Mapping[str, int] | None = None) -> IncidentQuestion:
    """Take a question apart; never raises, whatever was pasted.

    Args:
        text: as it was asked or pasted.
        known: language of documents to how much is written in it; None for English alone.
    """
    read = read_error_text(text)
    if read.kind != "question":
        return IncidentQuestion(_pasted(read, known or {}), read.kind == "alert", read.names)
    days = tuple(dict.fromkeys(found.value for found in found_dates(text)))[:MAX_DATES]
    asked = without_dates(read.message) if days else read.message
    query = replace(analyse(asked, language_of_question(asked, known or {})), dates=days)
    is_alert = is_alert_name(text)
    return IncidentQuestion(query, is_alert, (text.strip(),) if is_alert else ())


def _pasted(read: ErrorText, known: Mapping[str, int]) -> Query:
    """The question behind a pasted text: what it lacks tells nothing, so it asks for no literal.

    The names it gives are asked for as they stand.
    """
    query = analyse(read.message, language_of_question(read.message, known))
    literals = {key: name for key, name in query.literals.items() if name in read.names}
    return replace(query, literals=literals, alone=False)
