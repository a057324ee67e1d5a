"""Where a link of a vault leads: by name, as Obsidian resolves it.

Observed on Obsidian 1.13 with several notes of one name: the exact path from the vault's top wins,
else the note in the folder of the note that links, else the shortest path. Case counts only between
twins, `.md` may be left out, `./` and `../` name one place and nothing else.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Sequence

from pit_memory.core.documents.documents import DocumentLink, Section
from pit_memory.core.text.percent import address_part

_NOT_IN_HEADINGS = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\r\n]+")
"""What Obsidian takes out of a heading before it compares."""
_PAGE = re.compile(r"(?:^|&)page=([0-9]+)")


class VaultFiles:
    """Every file of a vault, by name."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Take the files.

        Args:
            paths: POSIX paths relative to the vault's top, attachments among them.
        """
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(paths):
            name = _folded(path.rpartition("/")[2])
            self._by_name.setdefault(name, []).append(path)

    def find(self, target: str, source: str) -> str | None:
        """The file that a link leads to; None where there is none.

        Args:
            target: the link's path or name, decoded, without `#...`; empty for the note itself.
            source: path of the note that links.
        """
        if not target:
            return source
        folder = posixpath.dirname(source)
        if target.startswith(("./", "../")):
            return self._at(posixpath.normpath(posixpath.join(folder, target)))
        if target.startswith("/"):
            return self._at(target.strip("/"))
        name = _folded(target.rpartition("/")[2])
        for found, ending in (
            (self._by_name.get(name), ""),
            (self._by_name.get(f"{name}.md"), ".md"),
        ):
            fitting = [path for path in found or () if _fits(path, target + ending)]
            if fitting:
                wanted = target + ending
                return min(fitting, key=lambda path: _rank(path, wanted, folder))
        return None

    def _at(self, path: str) -> str | None:
        """The file at a path from the top, `.md` left out or not."""
        for wanted in (path, f"{path}.md"):
            there = self._by_name.get(_folded(wanted.rpartition("/")[2]), ())
            exact = [it for it in there if _folded(it) == _folded(wanted)]
            if exact:
                return min(exact, key=lambda it: it != wanted)
        return None


def _fits(path: str, target: str) -> bool:
    """Whether a path ends in all of the target's names."""
    path, target = _folded(path), _folded(target)
    return path == target or path.endswith("/" + target)


def _rank(path: str, wanted: str, folder: str) -> tuple[bool, bool, int, bool, str]:
    return (
        _folded(path) != _folded(wanted),
        posixpath.dirname(path) != folder,
        len(_folded(path)),
        not path.endswith(wanted),
        path,
    )


def _folded(path: str) -> str:
    """A path as links compare it: in one case, its accents in one spelling."""
    return unicodedata.normalize("NFC", path).casefold()


def link_name(path: str) -> str:
    """What links to a file have in common: its name, without `.md`, in one case."""
    return _folded(path.rpartition("/")[2]).removesuffix(".md")


def path_and_place(link: DocumentLink) -> tuple[str, str]:
    """The file part of a link and the place in it; either may be empty."""
    path, _, place = link.target.partition("#")
    return path.strip(), place.strip()


def section_of_place(sections: Sequence[Section], place: str) -> Section | None:
    """The section that a link's `#...` names: a block, an anchor, or headings in their words.

    `Heading#Subheading` names a heading below another one; a block is named in any case.
    """
    for section in sections:
        if place == section.anchor or place in section.other_anchors:
            return section
    if place.startswith("^"):
        block = place.casefold()
        named = (it for it in sections if block in map(str.casefold, it.other_anchors))
        return next(named, None)
    names = [folded_heading(name) for name in place.split("#")]
    for section in sections:
        trail = [folded_heading(name) for name in section.breadcrumb]
        if trail and trail[-1] == names[-1] and _is_within(names, trail):
            return section
    return None


def page_of_place(place: str) -> str:
    """The anchor of the page of a PDF that a link's `#...` names; empty where it names none.

    What else a viewer is told (`height=400`, `selection=...`) is no place.
    """
    page = _PAGE.search(place)
    return f"p{page[1]}" if page else ""


def folded_heading(text: str) -> str:
    """A heading as links compare it: words alone, in one case."""
    return " ".join(_NOT_IN_HEADINGS.sub(" ", text).casefold().split())


def _is_within(names: Sequence[str], trail: Sequence[str]) -> bool:
    """Whether the names occur in the trail, in order."""
    rest = iter(trail)
    return all(name in rest for name in names)


def obsidian_address(vault: str, path: str, place: str = "") -> str:
    """The address that opens a note in Obsidian, at a heading or `^block`.

    Args:
        vault: name of the vault, which is that of its folder.
        path: of the note below the vault's top.
        place: words of the heading, or `^id`; empty for the note's start.
    """
    file = path.removesuffix(".md") + (f"#{place}" if place else "")
    return f"obsidian://open?vault={_component(vault)}&file={_component(file)}"


def _component(text: str) -> str:
    return address_part(text, "-._~")
