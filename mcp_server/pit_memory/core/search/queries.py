"""A question, taken apart: literals to find as they stand, and words to rank by.

Nothing in a question is an operator. `--plugin-dir`, `a:b`, `NOT x` and `"unclosed` are words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from pit_memory.core.search.legs import KeywordTerms
from pit_memory.core.text.dates import date_tokens
from pit_memory.core.text.languages import ENGLISH, STOP_WORDS
from pit_memory.core.text.particle_verbs import Parts, taken_apart
from pit_memory.core.text.words import folded, has_unspaced, inner_stems, runs, stems, tokens

MAX_RUNS = 400
"""Words of a question that are looked at; a pasted log has its cause in the first ones."""
MIN_LITERAL = 3
"""Characters; shorter literals stand in every second text, and the index has no grams for them."""
MAX_LITERALS = 8
"""Each costs a look-up; a question that names more is a pasted text."""

_REMEMBERED_RUNS = 20_000
"""Of headings, which repeat their words."""
_NO_VERBS: Mapping[str, Parts] = {}
_UNSPACED_WORD = 6
"""Characters; a longer run of a script without spaces is several words, not one."""

MAX_PHRASE = 100
"""Characters of a quoted phrase; a longer one is a pasted text."""
_QUOTED = re.compile(r"\"([^\"\n]*)\"|`([^`\n]*)`|“([^”\n]*)”")
"""Of any length: what an empty pair lets open would take the words between two others."""
_AROUND_WORD = re.compile(r"^[^\w/.:#@$~%&+=\-\\]+|[^\w/#%+=\-]+$")
"""What a sentence puts around a word; `.gitignore`, `:latest`, `C++`, `50%` keep theirs."""
_IDENTIFIER = re.compile(
    r"\d[^\W\d_]|[^\W\d_]\d"  # a digit next to a letter: k8s, v1, 10m
    r"|_"
    r"|[^\W_][./:][^\W_]"  # something on both sides: main.py, docs/api, a:b
    r"|[a-z][A-Z]"
    r"|-[^-]+-"  # two hyphens: nomic-embed-text; a single one joins plain words
    r"|^--?\w"  # a flag
)
_ENGLISH_STOP_WORDS = frozenset(
    word
    for line in (
        "a an and are as at be by for if in into is it its of on or that the this to was with",
        "i me my we our us you your do does did can how what when where which who why",
    )
    for word in line.split()
)
"""Joints of sentences and the frame of a question; a longer list costs link sentences .01.

A question of nothing else keeps them.
"""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, ready for both legs."""

    text: str
    """As asked, `cleaned`."""
    literals: Mapping[str, str]
    """Identifiers and quoted phrases, to be found as they stand: folded, to as written."""
    alone: bool
    """The question is one word or one quoted phrase: it asks for that very thing."""
    language: str
    """That it is asked in, ISO 639-1 (`core.text.languages.language_of_question`)."""
    headline: frozenset[str]
    """Its stems as those of headings (`telling_stems`): equal where both say the same."""
    spoken: tuple[str, ...]
    """The same in the order of its words."""
    terms: KeywordTerms
    """What to rank by; both fields are empty where the question holds no letter or digit."""
    dates: tuple[str, ...] = ()
    """Days and months that it names, `2024-05-17` or `2024-05`, where its reader looks for them."""

    @property
    def record_terms(self) -> KeywordTerms:
        """What to rank whole records by: the terms, and the dates as records hold them."""
        days = dict.fromkeys(token for day in self.dates for token in date_tokens(day))
        return replace(self.terms, exact=(*self.terms.exact, *days))


def analyse(
    question: str, language: str = ENGLISH, verbs: Mapping[str, Parts] = _NO_VERBS
) -> Query:
    """Take a question apart; never raises, whatever its characters.

    Args:
        question: as asked.
        language: that it is in, ISO 639-1.
        verbs: words of it that stand nowhere, but perhaps what they are made of.
    """
    text = cleaned(question)
    telling = taken_apart(_telling(runs(text)[:MAX_RUNS], language), verbs)
    literals, alone = _literals(text)
    spoken = tuple(token for run in telling for token in inner_stems(run, language))
    return Query(
        text=text,
        literals=literals,
        alone=alone,
        language=language,
        headline=frozenset(spoken),
        spoken=spoken,
        terms=KeywordTerms(
            exact=tuple(dict.fromkeys(token for run in telling for token in tokens(run))),
            stems=tuple(dict.fromkeys(token for run in telling for token in stems(run, language))),
        ),
    )


def cleaned(question: str) -> str:
    """A question without outer blanks and what no text can hold (NUL, lone surrogates)."""
    return question.encode("utf-8", "replace").decode().replace("\0", " ").strip()


def telling_stems(text: str, language: str = ENGLISH) -> frozenset[str]:
    """The stems of a heading or title, without stop words unless it has no other words."""
    asked = runs(text)
    told = frozenset(chain.from_iterable([_told(run, language) for run in asked]))
    return told or frozenset(chain.from_iterable([inner_stems(run, language) for run in asked]))


@lru_cache(_REMEMBERED_RUNS)
def _told(run: str, language: str) -> tuple[str, ...]:
    """The stems of a run that is no stop word."""
    return () if _is_stop_word(run, language) else inner_stems(run, language)


def _telling(asked: Sequence[str], language: str) -> Sequence[str]:
    """Without stop words, unless there are no other words."""
    return [run for run in asked if not _is_stop_word(run, language)] or asked


def _is_stop_word(run: str, language: str) -> bool:
    """Capitals are a name or an acronym: `IT`, `OR`."""
    known = STOP_WORDS.get(language, frozenset())
    stop_words = _ENGLISH_STOP_WORDS if language == ENGLISH else known
    return run.lower() in stop_words and not (len(run) > 1 and run.isupper())


def _literals(text: str) -> tuple[dict[str, str], bool]:
    quoted: list[str] = []

    def take(match: re.Match[str]) -> str:
        inner = match.group(match.lastindex or 0)
        if not MIN_LITERAL <= len(inner) <= MAX_PHRASE:
            return f" {inner} "
        quoted.append(inner)
        return " "

    words = [_trimmed(word) for word in _QUOTED.sub(take, text).split()]
    alone = len(quoted) + len(words) == 1 and not any(map(_is_sentence, words))
    wanted = quoted + [word for word in words if alone or _IDENTIFIER.search(word)]
    literals: dict[str, str] = {}
    for literal in wanted:
        spelled = " ".join(literal.split())
        if len(spelled) >= MIN_LITERAL and len(literals) < MAX_LITERALS:
            literals.setdefault(folded(spelled), spelled)
    return literals, alone


def _is_sentence(word: str) -> bool:
    return len(word) > _UNSPACED_WORD and has_unspaced(word)


def _trimmed(word: str) -> str:
    return _AROUND_WORD.sub("", word) or word
