"""An answer taken apart: its sentences, the refs behind each and what it quotes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.prose import Paragraph, paragraphs
from pit_memory.core.quotations import quotations_in

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
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW_WORDS = 4
"""A sentence with fewer words beside its refs claims nothing that could be looked up."""


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
        words = len(_WORD.findall(_without_refs(self.text)))
        return words >= _FEW_WORDS and not self.text.rstrip(" *_").endswith(("?", ":"))


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
        if waiting and refs and len(_WORD.findall(_without_refs(text))) < _FEW_WORDS:
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


def _without_refs(text: str) -> str:
    return _REF.sub(" ", _URL.sub(" ", text))
