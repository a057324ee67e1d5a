"""The reader of plain text: underlined headings, else parts of a screenful cited by lines."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from pit_memory.core.documents.anchors import AnchorNumberer, github_slug
from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.marked_text import Mark, split_at_marks
from pit_memory.core.text.decoding import decode, lines_of
from pit_memory.sources.described import Described, document_of
from pit_memory.sources.formats import Contents, RawFile

_UNDERLINE = re.compile(r"([=\-~*#^])\1{2,}\s*")
_LEVELS = "=-~*#^"
_HEADING_CHARACTERS = 100


def read(raw: RawFile) -> Contents:
    """Take a text file apart."""
    decoded = decode(raw.data)
    lines = lines_of(decoded.text)
    marks = _marks(lines)
    problems = [Problem(raw.path, 0, "encoding", decoded.problem)] if decoded.problem else []
    title = marks[0].heading if marks and marks[0].line == 1 else PurePosixPath(raw.path).stem
    return Contents(
        document_of(raw, split_at_marks(lines, marks), Described(title), tuple(problems)), lines
    )


def _marks(lines: Sequence[str]) -> list[Mark]:
    """Headings as people write them in plain text: a line, below it as many signs of one kind."""
    numberer = AnchorNumberer()
    marks = []
    for number, (heading, under) in enumerate(pairwise(lines), start=1):
        name = heading.strip()
        if not name or len(name) > _HEADING_CHARACTERS or not _UNDERLINE.fullmatch(under):
            continue
        stands_alone = number == 1 or not lines[number - 2].strip()
        if stands_alone and abs(len(under.strip()) - len(name)) <= 2 and name[0] not in _LEVELS:
            anchor = numberer.number(github_slug(name))
            marks.append(Mark(number, 1 + (under[0] != "="), name, anchor))
    return marks
