"""The lines of a section that answer best, short enough to show."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import fsum

from pit_memory.core.answers.answers import SnippetLine
from pit_memory.core.text.languages import ENGLISH
from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.text.words import folded, runs, stems, text_stems
from pit_memory.core.text.wrapped_text import wrapped_sentences, wrapped_texts
from pit_memory.core.tokens import estimate

MAX_LINES = 3
"""One line costs 50 tokens a hit, three cost 70 to 90 and hold the answer more often."""
MAX_CHARACTERS = 160
"""Of a shown line; longer ones are cut around the match."""
_CUT = "…"
_BEFORE_MATCH = 40
"""Characters kept before the match where a line is cut: enough to read it in its sentence."""
_MAX_SCANNED = 4_000
"""Characters of a line that are looked at; minified code goes on for megabytes."""
_LITERAL_WEIGHT = 100.0
"""Above any sum of words: a line that holds the very thing asked for comes first."""
_SEEN_WEIGHT = 0.3
"""What a word still counts that a chosen line has: the next line had better add something."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]*_]*\s+(?=\W*[^\W\d_a-z])|(?<=[\u3002\uff01\uff1f])")
"""Behind a full stop and before a capital letter; Chinese and Japanese need no blank."""
_ROW = re.compile(r"\s*\|")
_WORTH = 0.4
"""Of what the first line tells: a line that adds less isn't worth its tokens (a third of them)."""
_USUAL_TOKENS = 30
"""Of a long line of English prose; one that costs more must add so much more."""
_WITHOUT_WORDS = re.compile(r"[\W_]*")
"""Blank lines, rules, fences, rows of dashes under a table's header."""


class Asked:
    """What a question asks for, to be looked for in texts."""

    def __init__(self, idf: Mapping[str, float], language: str = ENGLISH) -> None:
        """Take the question.

        Args:
            idf: of each of its stems.
            language: that it is asked in.
        """
        self.idf = idf
        self.language = language

    def named_in(self, text: str) -> frozenset[str]:
        """The stems of the question that a text holds; only the start of a long line."""
        if len(text) > _MAX_SCANNED:
            text = "\n".join([line[:_MAX_SCANNED] for line in text.split("\n")])
        return text_stems(text, self.language).intersection(self.idf)


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A line of a text with what it names of a question."""

    line: int
    """1-based number in the file; of a sentence over several lines, where it begins."""
    text: str
    named: frozenset[str]
    """Stems of the question that it holds."""


def named_lines(text: str, first_line: int, asked: Asked) -> list[NamedLine]:
    """The lines of a text with what each names of a question.

    Args:
        text: LF lines.
        first_line: number of the first one.
        asked: the question.
    """
    return [
        NamedLine(number, line, asked.named_in(line))
        for number, line in enumerate(text.split("\n"), start=first_line)
    ]


def best_lines(
    lines: Iterable[NamedLine], asked: Asked, literals: Collection[str]
) -> tuple[SnippetLine, ...]:
    """Choose up to three lines by what they name of the question, best first.

    Args:
        lines: of one section, its heading left out.
        asked: the question.
        literals: of the question, folded.

    Returns:
        Whole lines, of a long one or of lines that were wrapped their sentences, and what is longer
        still cut around the match; the first line with any words where none names anything (a hit
        by meaning alone).
    """
    told = (line for line in _unwrapped(lines, asked) if not _WITHOUT_WORDS.fullmatch(line.text))
    left = [part for line in told for part in _sentences(line, asked)]
    chosen = left[:1]
    left = [it for it in left if it.named or _literal_at(it.text, literals) is not None]
    seen: set[str] = set()
    most = 0.0
    for turn in range(min(MAX_LINES, len(left))):
        gains = [_gain(line, seen, asked, literals) for line in left]
        best = gains.index(max(gains))
        if not gains[best] or (most and gains[best] < _least_gain(left[best].text) * most):
            break
        most = most or gains[best]
        line = left.pop(best)
        chosen[turn:] = [line]
        seen |= line.named
    return tuple(SnippetLine(line.line, _shown(line, asked, literals)) for line in chosen)


def shortened(text: str) -> str:
    """The start of a text, at most `MAX_CHARACTERS`, cut at a word."""
    return safe_line(_around(text, 0) if len(text) > MAX_CHARACTERS else text)


def _unwrapped(lines: Iterable[NamedLine], asked: Asked) -> Iterator[NamedLine]:
    """The sentences of lines that were wrapped, and all other lines as they are."""
    kept = list(lines)
    told = [bool(line.named) for line in kept]
    done = 0

    def is_told(paragraph: range) -> bool:
        """Whether it names anything; where nothing does, the first one is shown."""
        return any(told[paragraph.start : paragraph.stop]) or not any(told)

    for text in wrapped_texts([line.text for line in kept], is_told):
        sentences = wrapped_sentences([kept[at].text for at in text])
        if sentences:
            yield from kept[done : text.start]
            names_any = any(told[text.start : text.stop])
            for at, it in sentences:
                named = asked.named_in(it) if names_any else frozenset[str]()
                yield NamedLine(kept[text.start + at].line, it, named)
            done = text.stop
    yield from kept[done:]


def _sentences(line: NamedLine, asked: Asked) -> Sequence[NamedLine]:
    """A line that can be shown whole, else its sentences; of a table or of code there are none."""
    if len(line.text) <= MAX_CHARACTERS or _ROW.match(line.text) or len(line.text) > _MAX_SCANNED:
        return (line,)
    sentences = [it for it in _SENTENCE_END.split(line.text) if it.strip()]
    if sentences == [line.text]:
        return (line,)
    return [NamedLine(line.line, it, asked.named_in(it)) for it in sentences]


def _gain(line: NamedLine, seen: Set[str], asked: Asked, literals: Collection[str]) -> float:
    """What a line adds to those that are chosen."""
    held = _LITERAL_WEIGHT if _literal_at(line.text, literals) is not None else 0.0
    told = [asked.idf[stem] * (_SEEN_WEIGHT if stem in seen else 1) for stem in line.named]
    return held + fsum(told)


def _least_gain(text: str) -> float:
    """What a further line must add, as a share of what the first one tells."""
    tokens = estimate(text.strip()[:MAX_CHARACTERS])
    return _WORTH * max(1.0, tokens / _USUAL_TOKENS)


def _shown(line: NamedLine, asked: Asked, literals: Collection[str]) -> str:
    """The line without its indent, cut to `MAX_CHARACTERS` around what it names."""
    text = line.text.strip()
    if len(text) > MAX_CHARACTERS:
        at = _literal_at(text, literals)
        if at is None:
            at = _rarest_at(text, {stem: asked.idf[stem] for stem in line.named}, asked.language)
        text = _around(text, at)
    return safe_line(text)


def _around(text: str, at: int) -> str:
    room = MAX_CHARACTERS - 2 * len(_CUT)
    begin, last = max(0, at - _BEFORE_MATCH), len(text) - room
    start = _word_before(text, begin) if begin < last else _word_behind(text, last, at)
    end = start + room
    before, after = _CUT if start else "", _CUT if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _literal_at(text: str, literals: Collection[str]) -> int | None:
    looked_at = folded(text[:_MAX_SCANNED]) if literals else ""
    return next((at for literal in literals if (at := looked_at.find(literal)) >= 0), None)


def _rarest_at(text: str, named: Mapping[str, float], language: str) -> int:
    """Where the word stands first that tells most of those that a text names; 0 without any."""
    most = max(named.values(), default=0.0)
    rarest = {stem for stem, told in named.items() if told == most}
    looked_at = text[:_MAX_SCANNED]
    found = (run for run in runs(looked_at) if not rarest.isdisjoint(stems(run, language)))
    return max(0, looked_at.find(next(found, ""))) if most else 0


def _word_behind(text: str, at: int, most: int) -> int:
    """Start of the next word from a position on, which may stand there; none is behind `most`."""
    return at if text[at - 1] == " " else text.find(" ", at, max(at, most)) + 1 or at


def _word_before(text: str, at: int) -> int:
    """Start of the word that a position lies in; a very long word is cut all the same."""
    return text.rfind(" ", max(0, at - _BEFORE_MATCH), at) + 1 or at
