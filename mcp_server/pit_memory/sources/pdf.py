"""The reader of PDFs: a section a page, headings from the outline; references have their own."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pit_memory.core.documents.anchors import github_slug
from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.marked_text import Mark, split_at_marks
from pit_memory.core.text.pdf_text import REFERENCES, clean_lines, reference_pages, words_of
from pit_memory.errors import DocumentError
from pit_memory.sources.described import Described, document_of
from pit_memory.sources.formats import Contents, RawFile
from pit_memory.sources.pdf_process import PDF_PROCESS, PdfStoppedError

_NO_TITLE = re.compile(
    r"untitled.*|microsoft (?:word|powerpoint) - .*|.*\.(?:docx?|tex|dvi|pdf|indd|pptx?|odt|qxd)",
    re.IGNORECASE,
)
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?")
_WHY = {
    "encrypted": "the PDF is encrypted: it opens with a password only; save a copy without one",
    "broken": "the PDF is broken: no page can be read; open and save it with another program",
    "missing": "PDFs can't be read: pypdfium2 is not installed; install pit-memory[search]",
}
_NAMED_PAGES = 10


@dataclass(slots=True)
class _Pdf:
    """What the process said so far."""

    count: int = 0
    about: dict[str, str] = field(default_factory=dict)
    outline: list[tuple[int, int, str]] = field(default_factory=list)
    """(level from 0, page from 0, title)."""
    labels: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    """Pages, from 1, that show something and hold no text."""
    failures: list[int] = field(default_factory=list)
    """Pages, from 1, that can't be read."""
    stopped: str = ""
    is_empty: bool = False
    """The file has no byte: nothing is wrong with its pages, as there are none."""


def read(raw: RawFile) -> Contents:
    """Take a PDF apart.

    Raises:
        DocumentError: it is encrypted, broken, or no reader is installed.
    """
    pdf = _ask(raw.data) if raw.data else _Pdf(is_empty=True)
    words = words_of(pdf.texts)
    pages = [clean_lines(text, words) for text in pdf.texts]
    listed = reference_pages(pages)
    lines: list[str] = []
    marks: list[Mark] = []
    paths = list(_outline_paths(pdf, len(pages)))
    for number, page in enumerate(pages):
        if not any(page):
            continue
        if lines:
            lines.append("")
        marks.append(_mark(pdf, number, len(lines) + 1, paths[number], number in listed))
        lines += [f"[{_page_name(pdf, number)}]", *page]
    document = document_of(
        raw,
        split_at_marks(lines, marks),
        _described(raw.path, pdf),
        tuple(_problems(raw.path, pdf)),
    )
    return Contents(document, lines)


def _ask(data: bytes) -> _Pdf:
    pdf = _Pdf()
    try:
        for said in PDF_PROCESS.ask(data):
            if why := said.get("error"):
                raise DocumentError(_WHY[why])
            if "page" in said:
                _take_page(pdf, said["page"])
            else:
                pdf.count = said["pages"]
                pdf.about = said["about"]
                pdf.outline = [tuple(entry) for entry in said["outline"]]
    except PdfStoppedError as stop:
        if not pdf.texts:
            message = f"the PDF {stop}; no page of it was read"
            raise DocumentError(message) from stop
        pdf.stopped = str(stop)
    return pdf


def _take_page(pdf: _Pdf, page: dict[str, str]) -> None:
    pdf.labels.append(page["label"])
    pdf.texts.append(page["text"])
    number = len(pdf.texts)
    if page.get("failure"):
        pdf.failures.append(number)
    elif not page["text"].strip() and page["has_objects"]:
        pdf.pictures.append(number)


def _outline_paths(pdf: _Pdf, count: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each page: the headings it stands below, and those that begin on it."""
    path: list[tuple[int, str]] = []
    waiting = sorted(pdf.outline, key=lambda entry: entry[1])
    at = 0
    for number in range(count):
        begun = []
        while at < len(waiting) and waiting[at][1] <= number:
            level, _, title = waiting[at]
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, title))
            begun.append(title)
            at += 1
        yield tuple(title for _, title in path), tuple(begun)


def _mark(
    pdf: _Pdf,
    number: int,
    line: int,
    path: tuple[tuple[str, ...], tuple[str, ...]],
    lists_references: bool,
) -> Mark:
    above, begun = path
    name = _page_name(pdf, number)
    heading = REFERENCES if lists_references else (above[-1] if above else name)
    label = pdf.labels[number]
    names = [f"page-{label}" if label and label != str(number + 1) else ""]
    names += [github_slug(title) for title in begun]
    return Mark(
        line=line,
        level=1,
        heading=heading,
        anchor=f"p{number + 1}",
        other_anchors=tuple(dict.fromkeys(filter(None, names))),
        breadcrumb=(*above, name),
        is_ours=True,
    )


def _page_name(pdf: _Pdf, number: int) -> str:
    """What people call a page: its number in the file, and the one that is printed on it."""
    label = pdf.labels[number]
    return f"page {number + 1}" + (f", {label}" if label and label != str(number + 1) else "")


def _described(path: str, pdf: _Pdf) -> Described:
    about = {key: " ".join(value.split()) for key, value in pdf.about.items()}
    stem = PurePosixPath(path).stem
    title = about.get("Title", "")
    made = _DATE.match(about.get("CreationDate", ""))
    date = "-".join(part for part in made.groups() if part) if made else ""
    by = ", ".join(filter(None, (about.get("Author", ""), date[:4])))
    return Described(
        title=stem if not title or _NO_TITLE.fullmatch(title) else title,
        description=". ".join(filter(None, (by, about.get("Subject", "")))),
        tags=tuple(dict.fromkeys(filter(None, re.split(r"\s*[,;]\s*", about.get("Keywords", ""))))),
        date=date,
    )


def _problems(path: str, pdf: _Pdf) -> Iterator[Problem]:
    if pdf.is_empty:
        message = "the file is empty: it has 0 bytes; fetch it again if it should hold something"
        yield Problem(path, 0, "no-text", message)
    if pdf.pictures:
        message = (
            f"{_pages(pdf.pictures)} {'hold' if len(pdf.pictures) > 1 else 'holds'} pictures and "
            "no text; recognise the text with an OCR program, and it is found"
        )
        yield Problem(path, 0, "no-text", message)
    if pdf.failures:
        yield Problem(path, 0, "unreadable", f"{_pages(pdf.failures)} can't be read")
    if pdf.stopped or len(pdf.texts) < pdf.count:
        why = f": it {pdf.stopped}" if pdf.stopped else ""
        message = f"only the first {len(pdf.texts):,} of {pdf.count:,} pages are indexed{why}"
        yield Problem(path, 0, "too-large", message)


def _pages(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_NAMED_PAGES]))
    more = len(numbers) - _NAMED_PAGES
    noun = "page" if len(numbers) == 1 else "pages"
    return f"{noun} {shown}" + (f" and {more:,} more" if more > 0 else "")
