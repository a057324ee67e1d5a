"""An answer taken apart: its sentences, the refs behind each and what it quotes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.text.prose import Paragraph, paragraphs
from pit_memory.core.text.quotations import quotations_in

_REF = re.compile(
    r"(?<![\w/.:%+~-])(?:[\w.%+-]+::)?(?:[\w.%+~-]+/)*[\w.%+~-]+\.(?:mdx?|markdown|txt|html?|pdf)"
    r"(?:\#[^\s`\"'()\[\]<>|,;!?@]+|:L\d+(?:-L?\d+)?)?(?:@[0-9a-fA-F]{8,64})?",
    re.IGNORECASE,
)
_URL = re.compile(r"(?:https?|obsidian)://\S+")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"'\u201d\u00bb)]*\s+(?=[(\[]|[\"'\u201c\u00ab`*_]*[A-Z0-9\u00c0-\u00de])"
)
_BRACKET = re.compile(r"\s*[(\[][^()\[\]]*[)\]](?=\s+\S)")
"""Refs behind a full stop belong to the sentence before them."""
_NO_CLAIM = re.compile(r"[\s>]*(?:#{1,6}\s|\|?[\s:|-]+$)")
_MARKER = re.compile(r"[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?")
_WORD = re.compile(r"[^\W_]{2,}")
FEWEST_WORDS = 3
"""`TLS is required.` claims something, as does `Port is 8443.`; `Done.` and `Not yet.` don't."""
_LEADING_WORDS = frozenset(
    {"see", "cf", "also", "and", "or", "in", "from", "here", "source", "sources", "ref", "refs"}
    | {"siehe", "vgl", "auch", "und", "oder", "aus", "hier", "quelle", "quellen", "reference"}
    | {"references", "docs", "details", "more"}
)
"""Beside refs they say nothing of their own: `See also a.md#b.`"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer."""

    line: int
    """1-based line that it begins on."""
    text: str
    refs: tuple[str, ...]
    """As they are written, in it or in brackets right behind it."""
    quotations: tuple[str, ...]

    @property
    def asserts(self) -> bool:
        """Tell whether it says something that a document should stand behind."""
        return self._states and len(_words(self.text)) >= FEWEST_WORDS

    @property
    def is_short(self) -> bool:
        """Tell whether it would assert something if it had more words."""
        return self._states and 0 < len(_words(self.text)) < FEWEST_WORDS

    @property
    def _states(self) -> bool:
        return not self.text.rstrip(" *_").endswith(("?", ":"))


def claims_of(lines: Sequence[str]) -> Iterator[Claim]:
    """The sentences of an answer in markdown, without headings, tables' rules and code blocks.

    A sentence that is nothing but refs belongs to the one before it.
    """
    for paragraph in paragraphs(lines):
        if _NO_CLAIM.match(paragraph.text):
            continue
        yield from _claims(paragraph)


def _claims(paragraph: Paragraph) -> Iterator[Claim]:
    waiting: Claim | None = None
    for line, text in _sentences(paragraph):
        refs = tuple(_refs(text))
        if waiting and refs and _LEADING_WORDS.issuperset(map(str.casefold, _words(text))):
            waiting = Claim(
                waiting.line, f"{waiting.text} {text}", (*waiting.refs, *refs), waiting.quotations
            )
            continue
        if waiting:
            yield waiting
        waiting = Claim(line, text, refs, tuple(quotations_in(text)))
    if waiting:
        yield waiting


def _sentences(paragraph: Paragraph) -> Iterator[tuple[int, str]]:
    marker = _MARKER.match(paragraph.text)
    start = marker.end() if marker else 0
    for found in [*_SENTENCE_END.finditer(paragraph.text, start), None]:
        end = found.start() if found else len(paragraph.text)
        text = paragraph.text[start:end]
        behind = _BRACKET.match(text)
        if behind and _REF.search(behind[0]):
            yield _at(paragraph, start), " ".join(behind[0].split())
            start, text = start + behind.end(), text[behind.end() :]
        if text.strip():
            yield _at(paragraph, start), " ".join(text.split())
        start = found.end() if found else end


def _at(paragraph: Paragraph, place: int) -> int:
    """The line of a place of a paragraph; white space before a sentence is no part of it."""
    rest = paragraph.text[place:]
    place += len(rest) - len(rest.lstrip())
    return paragraph.line + paragraph.text.count("\n", 0, place)


def _refs(text: str) -> Iterator[str]:
    for found in _REF.finditer(_URL.sub(" ", text)):
        yield found[0].rstrip(".:")


def _words(text: str) -> list[str]:
    """Words and numbers beside the refs."""
    return _WORD.findall(_REF.sub(" ", _URL.sub(" ", text)))
