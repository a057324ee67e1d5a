"""What a postmortem tells: symptom, cause and resolution, from its sections or from its prose."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.incident_record import MAX_TOLD, Told
from pit_memory.core.documents.sections import ParsedMarkdown
from pit_memory.core.incidents.incident_sections import Part, part_of

_PARTS_FOR: dict[str, tuple[Part, ...]] = {
    "symptom": ("symptom", "summary", "impact", "detection"),
    "cause": ("cause", "trigger"),
    "resolution": ("resolution",),
}
"""Sections that tell each point, the one that tells best first."""
_SCANNED_LINES = 2_000
"""What a long report says first; the rest is its evidence."""
_TOLD_BLOCKS = frozenset({"paragraph", "list", "quote", "html"})
"""Tables, code and rules tell when and what, and can't be read in one line."""
_HELPED = "resolved|mitigated|fixed|restored|recovered|reverted|solved"
_CUES: dict[str, tuple[tuple[str, ...], ...]] = {
    "cause": (
        ("root cause", "grundursache", "(?:haupt)?ursache"),
        (
            "caused by",
            "cause of",
            "triggered by",
            "stemmed from",
            "originated",
            "verursacht",
            "ausgelöst",
            "grund (?:war|dafür)",
        ),
        ("due to", "because", "resulted from", "as a result of", "led to", "aufgrund", "weil"),
    ),
    "resolution": (
        (
            rf"(?:was|were|been|is) (?:\w+ )?(?:{_HELPED})",
            rf"we (?:\w+ )?(?:{_HELPED})",
            "resolved by",
            "fixed by",
        ),
        (
            "roll(?:ed|ing)? ?back",
            "revert(?:ed|ing)",
            "restart(?:ed|ing)",
            "failed over",
            "patched",
            "behoben",
            "gelöst",
            "wiederhergestellt",
            "zurückgerollt",
            "zurückgesetzt",
            "neu ?gestartet",
        ),
        (_HELPED, "returned to normal"),
    ),
}
"""Words that tell of a point, the surest first."""
_CUE_PATTERNS = {
    point: [re.compile(rf"\b(?:{'|'.join(cue)})\b", re.IGNORECASE) for cue in cues]
    for point, cues in _CUES.items()
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ\"“(])")
_WITHOUT_WORDS = re.compile(r"[\W_]*")
_ASIDE = re.compile(
    r"(?:\W*\w+\W*){0,3}$|all times|alle (?:zeiten|uhrzeiten)|[\w ]{1,30}:", re.IGNORECASE
)
"""A label, a stated field, what a timeline says of its clock: nothing that was seen."""
_MARKER = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Story:
    """What happened, why, and what helped; None where the document does not tell."""

    symptom: Told | None
    cause: Told | None
    resolution: Told | None


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """Prose of one block, or one item of a list."""

    line: int
    text: str
    """One line."""
    part: Part | None
    """Of the section it stands in, or of the nearest one around that."""


def read_story(parsed: ParsedMarkdown) -> Story:
    """Read what a postmortem tells.

    Sections under their usual names go first. Where there is none for a point, the first sentence
    that speaks of it does, and the first sentence of all is the symptom.
    """
    paragraphs = list(_paragraphs(parsed))
    return Story(
        symptom=_from_section("symptom", paragraphs) or _first_sentence(paragraphs),
        cause=_from_section("cause", paragraphs) or _cued("cause", paragraphs),
        resolution=_from_section("resolution", paragraphs) or _cued("resolution", paragraphs),
    )


def told(text: str, line: int) -> Told | None:
    """What a text says, on one line and cut to `MAX_TOLD` at a word; None for an empty one."""
    said = " ".join(text.split())
    if len(said) > MAX_TOLD:
        said = f"{said[: MAX_TOLD - 1].rsplit(' ', 1)[0]}…"
    return Told(said, line) if said else None


def timeline_lines(parsed: ParsedMarkdown) -> Iterator[str]:
    """The lines of the sections that tell what happened when, tables included."""
    for section in parsed.sections:
        if part_of(section.heading) == "timeline":
            last = min(section.line_end, section.line_start + _SCANNED_LINES)
            yield from parsed.lines[section.line_start - 1 : last]


def _paragraphs(parsed: ParsedMarkdown) -> Iterator[_Paragraph]:
    ends = [section.line_end for section in parsed.sections]
    at = 0
    for block in parsed.blocks:
        if block.kind not in _TOLD_BLOCKS or block.line_start > _SCANNED_LINES:
            continue
        while at < len(ends) - 1 and ends[at] < block.line_start:
            at += 1
        part = _part_around(parsed.sections[at].breadcrumb) if parsed.sections else None
        for line, text in _items(parsed, block.line_start, block.line_end):
            if not _WITHOUT_WORDS.fullmatch(text):
                yield _Paragraph(line, text, part)


def _items(parsed: ParsedMarkdown, first: int, last: int) -> Iterator[tuple[int, str]]:
    """The paragraphs of a block: cut at blank lines and at the items of a list."""
    line, gathered = first, ""
    for number in range(first, last + 1):
        plain, raw = parsed.plain[number - 1].strip(), parsed.lines[number - 1]
        if not plain or (_MARKER.match(raw) and gathered):
            yield line, gathered
            gathered = ""
        if not gathered:
            line = number
        gathered = f"{gathered} {_MARKER.sub('', plain)}".strip()
    yield line, gathered


def _part_around(breadcrumb: Sequence[str]) -> Part | None:
    return next((part for heading in reversed(breadcrumb) if (part := part_of(heading))), None)


def _from_section(point: str, paragraphs: Sequence[_Paragraph]) -> Told | None:
    for part in _PARTS_FOR[point]:
        for paragraph in paragraphs:
            if paragraph.part == part:
                return told(paragraph.text, paragraph.line)
    return None


def _first_sentence(paragraphs: Sequence[_Paragraph]) -> Told | None:
    first = next((it for it in paragraphs if it.part is None and not _ASIDE.match(it.text)), None)
    return told(_SENTENCE_END.split(first.text)[0], first.line) if first else None


def _cued(point: str, paragraphs: Sequence[_Paragraph]) -> Told | None:
    """The first sentence that speaks of a point, by the surest cue that there is."""
    for cue in _CUE_PATTERNS[point]:
        for paragraph in paragraphs:
            if paragraph.part in {"actions", "lessons"} or not cue.search(paragraph.text):
                continue
            sentence = next(
                (it for it in _SENTENCE_END.split(paragraph.text) if cue.search(it)),
                paragraph.text,
            )
            return told(sentence, paragraph.line)
    return None
