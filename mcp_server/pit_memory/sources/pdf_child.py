"""Read PDFs in a process of its own, the one owner of pypdfium2: a file can crash or stuff it.

Takes files on standard input, each as 8 bytes of length and its bytes, and answers each with lines
of JSON: what the file says of itself, a line a page, an end. Whoever asks sets the time limit.
"""

import json
import os
import resource
import sys
from contextlib import suppress
from typing import IO, Any

from pit_memory.core.text.pdf_text import Row, reading_order

MEMORY_BYTES = 2_000_000_000
"""Address space of the process; what needs more is a bomb or a book of pictures."""
MOST_PAGES = 5_000
MOST_PAGE_CHARACTERS = 200_000
"""Of one page; a page of a novel has 2,000."""
_MOST_ROWS = 5_000
_PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD."""


def serve() -> None:
    """Answer until standard input ends."""
    with suppress(ValueError, OSError):  # not on every system
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass", newline="\n")
    os.dup2(2, 1)  # whatever a library prints stays out of the answers
    try:
        import pypdfium2
    except ImportError:
        pypdfium2 = None
    while (data := _next_file(sys.stdin.buffer)) is not None:
        if pypdfium2 is None:
            _say(answers, error="missing")
        else:
            _answer(pypdfium2, data, answers)
        _say(answers, end=True)


def _next_file(stream: IO[bytes]) -> bytes | None:
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "big")
    data = stream.read(size)
    return data if len(data) == size else None


def _say(answers: IO[str], **said: object) -> None:
    answers.write(json.dumps(said) + "\n")
    answers.flush()


def _answer(pypdfium2: Any, data: bytes, answers: IO[str]) -> None:  # noqa: ANN401 -- a module
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        is_locked = getattr(error, "err_code", None) == _PASSWORD_ERROR or "assword" in str(error)
        _say(answers, error="encrypted" if is_locked else "broken")
        return
    try:
        count = len(pdf)
        _say(answers, pages=count, about=_about(pypdfium2, pdf), outline=_outline(pypdfium2, pdf))
        for number in range(min(count, MOST_PAGES)):
            _say(answers, page=_page(pypdfium2, pdf, number))
    finally:
        pdf.close()


def _about(pypdfium2: Any, pdf: Any) -> dict[str, str]:  # noqa: ANN401 -- its objects
    try:
        return dict(pdf.get_metadata_dict(skip_empty=True))
    except (pypdfium2.PdfiumError, ValueError, UnicodeError):
        return {}


def _outline(pypdfium2: Any, pdf: Any) -> list[tuple[int, int, str]]:  # noqa: ANN401 -- likewise
    """(level from 0, page from 0, title) of the bookmarks that lead to a page, in order."""
    found: list[tuple[int, int, str]] = []
    with suppress(pypdfium2.PdfiumError, ValueError, UnicodeError):
        for bookmark in pdf.get_toc(max_depth=6):
            destination = bookmark.get_dest()
            page = destination.get_index() if destination else None
            title = " ".join(bookmark.get_title().split())
            if page is not None and title and len(found) < MOST_PAGES:
                found.append((bookmark.level, page, title))
    return found


def _page(pypdfium2: Any, pdf: Any, number: int) -> dict[str, object]:  # noqa: ANN401 -- likewise
    said: dict[str, object] = {"label": "", "text": "", "has_objects": False}
    try:
        said["label"] = pdf.get_page_label(number) or ""
        page = pdf[number]
        try:
            text_page = page.get_textpage()
            said["text"] = _text(text_page, page.get_width())[:MOST_PAGE_CHARACTERS]
            said["has_objects"] = next(iter(page.get_objects(max_depth=2)), None) is not None
            text_page.close()
        finally:
            page.close()
    except (pypdfium2.PdfiumError, ValueError, UnicodeError) as error:
        said["failure"] = " ".join(str(error).split())
    return said


def _text(text_page: Any, width: float) -> str:  # noqa: ANN401 -- likewise
    count = min(text_page.count_rects(), _MOST_ROWS)
    rows = [Row(*text_page.get_rect(number)) for number in range(count)]
    order = reading_order(rows, width)
    if order is None:
        return str(text_page.get_text_range())
    return "\n".join(text_page.get_text_bounded(*rows[number]) for number in order)
