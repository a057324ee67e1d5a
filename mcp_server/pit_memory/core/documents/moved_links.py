"""Links after a document has moved: its own, and those of others to it.

A link is relative to its file, or to the page's address, which is a folder deeper; which of the two
is told by what it leads to now. Its style (with or without ending) stays.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.link_targets import candidates, wikilink_names
from pit_memory.core.documents.links import Link, Written, links_of, with_targets
from pit_memory.core.source import MARKDOWN_ENDINGS

_ENCODED_SIGNS = {"%": "%25", " ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"}


@dataclass(frozen=True, slots=True)
class Move:
    """A document that moves. Paths are relative to the root, POSIX."""

    old: str
    new: str
    anchors: Mapping[str, str]
    """New anchor of each old one that has another name now."""
    anchor: str = ""
    """Where in the new file the whole document is; empty for the file itself."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with its links rewritten."""

    lines: tuple[str, ...]
    changed: tuple[int, ...]
    """1-based lines."""
    missed: tuple[int, ...]
    """Lines of links that should be rewritten and are written in a way that we can't."""


def rewrite_own_links(
    lines: Sequence[str], move: Move, exists: Callable[[str], bool], docs_folder: str
) -> Rewritten:
    """The text of the document that moves, its links leading where they led.

    Args:
        lines: of the document, without line ends.
        move: it.
        exists: tells whether a path relative to the root is there.
        docs_folder: of the site's documents.
    """

    def new_target(link: Link) -> str | None:
        if link.kind == "wikilink" or not link.path or link.path.startswith("/"):
            return None
        leads_to = next(filter(exists, candidates(link, move.old, docs_folder)), None)
        if leads_to is None:
            return None
        new = move.new if leads_to == move.old else leads_to
        return _retargeted(link, move.old, move.new, leads_to, new)

    return _rewritten(lines, new_target)


def rewrite_links_to(
    lines: Sequence[str],
    path: str,
    move: Move,
    exists: Callable[[str], bool],
    docs_folder: str,
) -> Rewritten:
    """The text of another document, its links and citations of the one that moves rewritten.

    Args:
        lines: of the document, without line ends.
        path: of the document.
        move: what moves; it is still at its old place.
        exists: tells whether a path relative to the root is there.
        docs_folder: of the site's documents.
    """

    def new_target(link: Link) -> str | None:
        if link.kind == "wikilink":
            return _wikilink(link, move)
        if not link.path:
            return None
        leads_to = next(filter(exists, candidates(link, path, docs_folder)), None)
        if leads_to != move.old:
            return None
        return _retargeted(link, path, path, move.old, move.new, move)

    linked = _rewritten(lines, new_target)
    cited = tuple(_cited(line, move) for line in linked.lines)
    also = (at for at, line in enumerate(cited, 1) if line != linked.lines[at - 1])
    return Rewritten(cited, tuple(sorted({*linked.changed, *also})), linked.missed)


def _rewritten(lines: Sequence[str], new_target: Callable[[Link], str | None]) -> Rewritten:
    targets: dict[Written, str] = {}
    missed = []
    for link in links_of("\n".join(lines)):
        target = new_target(link) if link.is_local else None
        if target is None or target == link.target:
            continue
        if link.written is None:
            missed.append(link.line)
        else:
            targets[link.written] = target
    changed = tuple(sorted({place.line for place in targets}))
    return Rewritten(tuple(with_targets(lines, targets)), changed, tuple(missed))


def _retargeted(
    link: Link, old_home: str, new_home: str, leads_to: str, new: str, move: Move | None = None
) -> str | None:
    """The target of a link that leads from a file's new place to a target's new place."""
    path = link.path
    rest = link.target[len(link.target.partition("#")[0].partition("?")[0]) :]
    if move:
        rest = _new_rest(rest, move)
    if path.startswith("/"):
        for root in _roots_of(path, leads_to):
            if new.startswith(root):
                return _encoded(f"/{_styled(path, leads_to, new.removeprefix(root))}") + rest
        return None
    bases = (posixpath.dirname(old_home), posixpath.splitext(old_home)[0])
    new_bases = (posixpath.dirname(new_home), posixpath.splitext(new_home)[0])
    for base, new_base in zip(bases, new_bases, strict=True):
        resolved = posixpath.normpath(posixpath.join(base, path))
        if leads_to.startswith(resolved):
            styled = _styled(resolved, leads_to, new)
            target = posixpath.relpath(styled, new_base or ".")
            return _encoded(target + ("/" if path.endswith("/") else "")) + rest
    return None


def _roots_of(path: str, leads_to: str) -> Iterator[str]:
    """What stands before a path from the root of the site in the path from the project's root."""
    at = leads_to.find(path.strip("/"))
    if at >= 0:
        yield leads_to[:at]


def _styled(written: str, leads_to: str, new: str) -> str:
    """A new path in the style of a written one: without its ending where that had none."""
    has_ending = written.endswith(MARKDOWN_ENDINGS) or leads_to == written
    if has_ending:
        return new
    stem, _ = posixpath.splitext(new)
    return posixpath.dirname(stem) if posixpath.basename(stem) in {"index", "README"} else stem


def _new_rest(rest: str, move: Move) -> str:
    if rest.startswith("#"):
        return f"#{move.anchors.get(rest[1:], rest[1:])}"
    return f"#{move.anchor}" if move.anchor and not rest else rest


def _wikilink(link: Link, move: Move) -> str | None:
    name, anchor = wikilink_names(link.target)
    old_stem, new_stem = posixpath.splitext(move.old)[0], posixpath.splitext(move.new)[0]
    bare = name.removesuffix(".md")
    rest = link.target[len(link.target.partition("#")[0]) :]
    if anchor:
        rest = f"#{move.anchors.get(anchor, anchor)}"
    elif move.anchor:
        rest = f"#{move.anchor}"
    if "/" in bare and (old_stem == bare or old_stem.endswith(f"/{bare}")):
        prefix = old_stem[: len(old_stem) - len(bare)]
        return new_stem.removeprefix(prefix) + rest
    if bare.casefold() == posixpath.basename(old_stem).casefold():
        return posixpath.basename(new_stem) + rest
    return None


def _cited(line: str, move: Move) -> str:
    """A line whose citations of the old path, written from the root, name the new one."""
    if move.old not in line:
        return line
    pattern = re.compile(rf"(?<![\w/.-]){re.escape(move.old)}(?P<rest>#[\w%-]+)?(?![\w/-])")

    def new_citation(found: re.Match[str]) -> str:
        return move.new + _new_rest(found["rest"] or "", move)

    return pattern.sub(new_citation, line)


def _encoded(path: str) -> str:
    return "".join(_ENCODED_SIGNS.get(sign, sign) for sign in path)
