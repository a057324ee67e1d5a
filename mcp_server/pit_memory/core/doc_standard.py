"""The doc standard: what makes a section findable and citable, as rules over one document.

Only what concerns retrieval. A finding says what to do.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from pit_memory.core.documents.documents import Problem, Section
from pit_memory.core.documents.sections import ParsedMarkdown
from pit_memory.core.front_matter.block import key_line
from pit_memory.core.serving.access import AUDIENCES
from pit_memory.core.settings.lint_rules import DEFAULT_LONGEST
from pit_memory.core.tokens import estimate

_FEWEST_TOKENS = 5
"""Fewer say nothing that a heading doesn't."""

_DATA = frozenset({"fence", "code", "table"})
"""Blocks that need no words to say something."""
_VAGUE = frozenset(
    {"about", "background", "conclusion", "description", "details", "general", "important", "info"}
    | {"information", "intro", "introduction", "misc", "miscellaneous", "more", "note", "notes"}
    | {"other", "others", "overview", "remarks", "stuff", "summary", "tbd", "todo", "untitled"}
    | {"various", "additional information", "further information", "general information"}
    | {"general notes", "more details", "more information"}
)
"""Headings that say nothing of what is below them."""
_NUMBER_BEFORE = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?|[ivxIVX]+[.)])\s+")
_BARE_NUMBER = re.compile(
    r"(?:(?:chapter|example|item|part|phase|section|step)\s+)?#?(?:\d+|[ivx]+)", re.IGNORECASE
)


class _Finding(NamedTuple):
    rule: str
    message: str


def check_structure(
    path: str, parsed: ParsedMarkdown, title: object, longest: int = DEFAULT_LONGEST
) -> Iterator[Problem]:
    """Check the headings of a document and what stands below each.

    Args:
        path: names the findings.
        parsed: the document.
        title: of its front matter; None where it has none.
        longest: tokens of a section's own text at most.
    """
    if not title and parsed.h1 is None and parsed.sections:
        yield Problem(path, 1, "no-title", "no title: begin with `# Title`, or add `title:`")
    first_of: dict[str, Section] = {}
    data = [block.line_start for block in parsed.blocks if block.kind in _DATA]
    for section in parsed.sections:
        if not section.level:
            continue
        is_title = section.level == 1 and section.heading == parsed.h1
        body = "\n".join(parsed.plain[section.line_start - 1 : section.line_end])
        shows_data = any(section.line_start <= line <= section.line_end for line in data)
        fewest = 0 if shows_data else _FEWEST_TOKENS
        for found in (
            *_heading_findings(section, first_of),
            *_body_findings(section, body, fewest, longest, is_title=is_title),
        ):
            yield Problem(path, section.line_start, found.rule, found.message)


def check_front_matter(
    path: str, values: Mapping[str, object], lines: Sequence[str]
) -> Iterator[Problem]:
    """Check the keys that pit-memory reads.

    Args:
        path: names the findings.
        values: the parsed front matter; dates as ISO 8601.
        lines: the document's.
    """
    for key, (holds, wanted) in _KEYS.items():
        if key in values and not holds(values[key]):
            pattern = re.compile(key_line(key))
            line = next((at for at, text in enumerate(lines, 1) if pattern.match(text)), 1)
            message = f"{key} is {values[key]!r}; write {wanted}"
            yield Problem(path, line, "front-matter", message)


def _heading_findings(section: Section, first_of: dict[str, Section]) -> Iterator[_Finding]:
    heading = section.heading
    words = " ".join(heading.split()).casefold()
    bare = _NUMBER_BEFORE.sub("", words).strip(" .:!?*-")
    if bare in _VAGUE or _BARE_NUMBER.fullmatch(words.strip(" .:)(")):
        message = f"{heading!r} doesn't say what is below it; name the subject or the question"
        yield _Finding("vague-heading", message)
    first = first_of.setdefault(words, section)
    if first is not section:
        message = (
            f"{heading!r} is also at line {first.line_start}, so its anchor is #{section.anchor} "
            "and changes with their order; say what sets this one apart"
        )
        yield _Finding("duplicate-heading", message)


def _body_findings(
    section: Section, body: str, fewest: int, longest: int, *, is_title: bool
) -> Iterator[_Finding]:
    heading = section.heading
    tokens = estimate(body)
    if tokens > longest:
        message = (
            f"{heading!r} has {tokens:,} tokens of text, more than {longest:,}; give each fact in "
            "it a heading of its own"
        )
        yield _Finding("long-section", message)
    elif is_title:
        return
    elif not any(char.isalnum() for char in body):
        message = f"{heading!r} has no text of its own; write what answers it, or take it away"
        yield _Finding("empty-section", message)
    elif tokens < fewest:
        message = f"{heading!r} says next to nothing; write the fact, or join it with its neighbour"
        yield _Finding("short-section", message)


def _is_text(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_names(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_is_text, value))
    return value is None or isinstance(value, str)


def _is_date(value: object) -> bool:
    try:
        date.fromisoformat(str(value)[:10])
    except ValueError:
        return False
    return True


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


_KEYS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "title": (_is_text, "a text on one line"),
    "description": (_is_text, "a text"),
    "draft": (lambda value: isinstance(value, bool), "true or false"),
    "tags": (_is_names, "a list of names"),
    "aliases": (_is_names, "a list of names"),
    "audience": (lambda value: value in AUDIENCES, "one of " + ", ".join(AUDIENCES)),
    "review_after": (_is_date, "a date such as 2027-01-31"),
    "source_url": (_is_address, "an https:// address"),
}
