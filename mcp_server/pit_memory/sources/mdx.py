"""The reader of MDX: markdown whose imports, exports and comments are code, not text."""

import re

from pit_memory.core.text.decoding import decode, lines_of
from pit_memory.core.text.masks import blanked, with_gaps
from pit_memory.sources.formats import Contents, RawFile
from pit_memory.sources.markdown import document_of_text

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(?:import|export)\b(?=[\s{*'\"])")
_COMMENT = re.compile(r"\{/\*.*?(?:\*/\}|\Z)", re.DOTALL)


def read(raw: RawFile) -> Contents:
    """Take an MDX file apart."""
    decoded = decode(raw.data)
    left = _without_code(decoded.text)
    shown = with_gaps(decoded.text, left)
    document = document_of_text(raw, decoded, parsed_as=left, shown=shown)
    return Contents(document, lines_of(decoded.text))


def _without_code(text: str) -> str:
    """The text with its statements and comments as blanks; every line stays on its line."""
    lines = text.split("\n")
    fence, in_code = "", False
    for number, line in enumerate(lines):
        if marked := _FENCE.match(line):
            fence = "" if fence and marked[1].startswith(fence) else fence or marked[1]
        if fence or marked:
            continue
        starts = number == 0 or not lines[number - 1].strip()
        in_code = bool(line.strip()) and (in_code or (starts and _CODE.match(line) is not None))
        if in_code:
            lines[number] = ""
    return blanked("\n".join(lines), _COMMENT)
