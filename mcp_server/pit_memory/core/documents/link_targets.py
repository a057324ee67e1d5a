"""What a link of a document may mean: the files it may name, in the order they are tried.

Renderers differ: a link may be relative to the file, or to the page's address, which is a folder
deeper; it may leave the ending away, or name a folder for the page in it; a leading slash is the
root of the site or of the repository.
"""

import posixpath
import re
from collections.abc import Iterator

from pit_memory.core.documents.links import Link
from pit_memory.core.source import FOLDER_PAGES, MARKDOWN_ENDINGS

_NO_SECTION = re.compile(r"top|_?top_?|:~:.*|fn(?:ref)?[:\d-].*|__.*|L\d+(?:-L?\d+)?")
"""Anchors that are no section: the page's top, text fragments, footnotes, tabs, lines of code."""


def candidates(link: Link, path: str, docs_folder: str) -> Iterator[str]:
    """Paths that a link may mean, relative to the root, the likeliest first.

    Args:
        link: one with a path, no wikilink.
        path: of the document it stands in.
        docs_folder: folder of the site's documents; empty for the root.
    """
    here = posixpath.dirname(path)
    target = link.path
    if target.startswith("/"):
        bases = [docs_folder, "", f"{docs_folder}/static", "static"]
        target = target.lstrip("/")
    else:
        bases = [here, posixpath.splitext(path)[0]]
    seen = dict.fromkeys(posixpath.normpath(posixpath.join(base, target)) for base in bases)
    for found in seen:
        yield found
    for found in seen:
        stem = re.sub(r"\.html?$", "", found)
        yield from (stem + ending for ending in MARKDOWN_ENDINGS)
        for page in FOLDER_PAGES:
            yield from (posixpath.normpath(f"{stem}/{page}{ending}") for ending in MARKDOWN_ENDINGS)


def may_be_elsewhere(link: Link) -> bool:
    """Tell whether a link may lead to a page that is made only when the site is built."""
    return link.path.startswith("/") and not link.path.endswith(MARKDOWN_ENDINGS)


def wikilink_names(target: str) -> tuple[str, str]:
    """The note's name and the anchor of a wikilink; a heading of a heading is the last one."""
    name, _, anchor = target.partition("#")
    return name.strip(), anchor.rpartition("#")[2].strip()


def is_section_anchor(anchor: str) -> bool:
    """Tell whether an anchor means a section; false for footnotes, tabs, the page's top."""
    return bool(anchor) and not _NO_SECTION.fullmatch(anchor)


def has_written_id(text: str, anchor: str) -> bool:
    """Tell whether a text gives an element that id, in HTML or in an attribute list."""
    name = re.escape(anchor)
    return bool(
        re.search(rf"""\{{[^{{}}\n]*#{name}(?=[\s}}])|\b(?:id|name)\s*=\s*["']?{name}\b""", text)
    ) or (anchor.startswith("^") and anchor in text)
