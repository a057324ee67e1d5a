"""Labelled questions from what writers left in their documents: links, and headings that ask.

The words around a link are what somebody wrote who wanted the reader to find that very place, so
they are asked, and the place is what should be found.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.documents import Section
from pit_memory.core.documents.link_targets import candidates, is_section_anchor, wikilink_names
from pit_memory.core.documents.links import Link, links_of
from pit_memory.core.documents.sections import find_section
from pit_memory.core.text.plain_text import without_inline_markup
from pit_memory.core.text.prose import paragraphs
from pit_memory.core.text.words import folded, runs

LEAST_WORDS = 6
"""Of a sentence: shorter ones point ("see here") and say nothing."""
LEAST_TEXT_WORDS = 2
"""Of a link's own words: `here` and `this` name nothing."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\W])|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_LINK_WORDS = re.compile(r"\[([^\[\]]+)\]\(\s*<?$")
_MARKS = re.compile(r"^[\s>|*+#-]+|\s*\|\s*")


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A document to take questions from."""

    path: str
    text: str
    sections: Sequence[Section]


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and what should be found for it."""

    query: str
    type: str
    """`link-sentence` and `link-text` ask for a section, `page-sentence` and `page-text` for a
    page, `faq` for the section whose heading asks."""
    path: str
    anchor: str | None
    """None: any section of the page."""
    exclude: str
    """The page that the question was taken from; empty for `faq`."""

    @property
    def id(self) -> str:
        """The same for the same question about the same place."""
        told = "\0".join((self.type, self.query, self.path, self.anchor or ""))
        return f"{self.type}-{hashlib.sha256(told.encode()).hexdigest()[:10]}"


def questions_of(
    pages: Mapping[str, SourcePage], docs_folder: str = ""
) -> Iterator[LabelledQuestion]:
    """The questions of some pages, each once, in the order they stand there.

    Args:
        pages: by path.
        docs_folder: folder of the site's documents, which links with a slash begin at.
    """
    seen: set[tuple[str, str]] = set()
    by_name: dict[str, str] = {}
    for path in pages:
        by_name.setdefault(_note_name(path), path)
    for page in pages.values():
        for question in (*_of_headings(page), *_of_links(page, pages, by_name, docs_folder)):
            key = folded(question.query), question.path
            if key not in seen:
                seen.add(key)
                yield question


def sample(questions: Iterable[LabelledQuestion], count: int) -> list[LabelledQuestion]:
    """At most so many, the same ones each time, spread over all pages and types."""
    chosen = sorted(questions, key=lambda it: it.id.rpartition("-")[2])[:count]
    return sorted(chosen, key=lambda it: it.id)


def query_line(question: LabelledQuestion) -> str:
    """A line of a question file, as `eval run` takes it, without the line end."""
    value = {"id": question.id, "query": question.query, "type": question.type}
    exclude = {"exclude": [question.exclude]} if question.exclude else {}
    return json.dumps({**value, **exclude}, ensure_ascii=False)


def gold_line(question: LabelledQuestion) -> str:
    """A line of the file with what should be found, without the line end."""
    value = {"query_id": question.id, "path": question.path, "anchor": question.anchor, "rel": 1}
    return json.dumps(value, ensure_ascii=False)


def _of_headings(page: SourcePage) -> Iterator[LabelledQuestion]:
    for section in page.sections:
        if section.heading.rstrip().endswith("?") and section.anchor:
            yield LabelledQuestion(section.heading, "faq", page.path, section.anchor, "")


def _of_links(
    page: SourcePage,
    pages: Mapping[str, SourcePage],
    by_name: Mapping[str, str],
    docs_folder: str,
) -> Iterator[LabelledQuestion]:
    lines = page.text.split("\n")
    paragraph_at = {
        line: paragraph.text
        for paragraph in paragraphs(lines)
        for line in range(paragraph.line, paragraph.line + paragraph.text.count("\n") + 1)
    }
    for link in links_of(page.text):
        target = _target(link, page, pages, by_name, docs_folder)
        if target is None or target[0] == page.path:
            continue
        path, anchor = target
        kind = "link" if anchor else "page"
        words = _words_of(link, lines)
        if len(runs(words)) >= LEAST_TEXT_WORDS:
            yield LabelledQuestion(words, f"{kind}-text", path, anchor, page.path)
        sentence = _sentence(paragraph_at.get(link.line, ""), words or link.target)
        if len(runs(sentence)) >= LEAST_WORDS:
            yield LabelledQuestion(sentence, f"{kind}-sentence", path, anchor, page.path)


def _target(
    link: Link,
    page: SourcePage,
    pages: Mapping[str, SourcePage],
    by_name: Mapping[str, str],
    docs_folder: str,
) -> tuple[str, str | None] | None:
    """The page, and the section of it, that a link leads to; None where it is none of these."""
    if not link.is_local:
        return None
    if link.kind == "wikilink":
        name, anchor = wikilink_names(link.target)
        path = by_name.get(_note_name(name))
    else:
        anchor = link.anchor
        found = candidates(link, page.path, docs_folder) if link.path else iter(())
        path = next((it for it in found if it in pages), None)
    if path is None:
        return None
    if not is_section_anchor(anchor):
        return (path, None) if not anchor else None
    sections = pages[path].sections
    section = find_section(sections, anchor) or next(
        (it for it in sections if folded(it.heading) == folded(anchor)), None
    )
    return (path, section.anchor) if section and section.anchor else None


def _note_name(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    return folded(stem if ending in ("md", "markdown", "mdx") else name)


def _words_of(link: Link, lines: Sequence[str]) -> str:
    """What a link is written on; empty where it isn't written in one line."""
    if link.written is None:
        return ""
    found = _LINK_WORDS.search(lines[link.written.line - 1][: link.written.start])
    return without_inline_markup(found[1]).replace("`", "").strip() if found else ""


def _sentence(paragraph: str, words: str) -> str:
    """The sentence of a paragraph that holds some words, as a reader sees it; else the first."""
    shown = without_inline_markup(paragraph).replace("`", "")
    sentences = [" ".join(_MARKS.sub(" ", it).split()) for it in _SENTENCE_END.split(shown)]
    held = (it for it in sentences if words and words in it)
    return next(held, sentences[0] if sentences else "")
