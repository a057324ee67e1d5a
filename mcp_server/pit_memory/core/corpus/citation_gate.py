"""The citation gate: every reference to a corpus file, in what agents are told, names a section.

A reference is a path (plain, in backticks, with `@` before it), a markdown link or a wikilink. It
holds if its anchor is there now, or if its paragraph says `Whole-file load:` and why. Code blocks
are no prose; a name with `<`, `*` or `{` in it is a placeholder.
"""

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from pit_memory.core.corpus.corpora import DEFAULT_RULES, CorpusRule, corpora_among
from pit_memory.core.documents.anchors import github_slug
from pit_memory.core.documents.documents import Problem
from pit_memory.core.text.percent import percent_decode
from pit_memory.core.text.prose import Paragraph, paragraphs

MARKER = "Whole-file load:"

_NEAR_MARKER = re.compile(
    r"\b(?:whole|full|entire)[\s_-]*files?[\s_-]*(?:load\w*|read\w*)\b\s*[:;.–—-]?",  # noqa: RUF001 - dashes as writers use them
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*`]|\b_|_\b")
_REASON_WORDS = 2
"""A marker followed by fewer words says no reason."""
_WORD = re.compile(r"[^\W\d_]{2,}")

_NO_ANCHOR_SIGNS = r"\s`\"'()\[\]<>|,;!?*"
_REFERENCE = re.compile(
    rf"""
    (?P<url>https?://[^{_NO_ANCHOR_SIGNS}]+)
    | \[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<link>[^()\s]+))
    | \[\[(?P<wikilink>[^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]
    | (?<![\w/.%+~${{}}>*-])
      (?P<path>(?:\$\{{?[A-Z_]+\}}?/)?(?:[\w.%+~-]+/)*[\w.%+-]+\.[A-Za-z]\w*)
      (?:\#(?P<anchor>[^{_NO_ANCHOR_SIGNS}]+)|(?P<placeholder>\#[<{{*\[]))?
    """,
    re.VERBOSE,
)
_VARIABLE = re.compile(r"\$\{?(?P<name>[A-Z_]+)\}?/")
_PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
_REPOSITORY_FILE = re.compile(
    r"https?://[^/]+/(?:[^/]+/)*?([^/]+)/(?:-/)?(?:blob|raw|src)/[^/]+/(.+)"
)
"""Address of a file on a git server: the repository's name, and the path."""


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A corpus file, as far as citing it goes."""

    anchors: tuple[str, ...]
    """Of the sections an index has, in order."""
    other_names: frozenset[str] = frozenset()
    """Further names that are accepted: of other headings, and of the same ones."""

    def has(self, anchor: str) -> bool:
        """Tell whether an anchor, as a reference writes it, names a section."""
        wanted = unicodedata.normalize("NFC", percent_decode(anchor))
        names = {unicodedata.normalize("NFC", name) for name in self.anchors} | self.other_names
        return not names.isdisjoint({wanted, wanted.casefold(), github_slug(wanted)})


@dataclass(frozen=True, slots=True)
class CitedProject:
    """A project whose corpora can be cited: this one, or another beside it."""

    name: str
    """Its folder's name: how other projects call it."""
    rules: tuple[CorpusRule, ...]
    corpora: Mapping[str, Mapping[str, CitedFile] | None]
    """Root of a corpus to its files, by path relative to that root; None: it has no index."""


class ProseFile(NamedTuple):
    """A file agents are told things in."""

    path: str
    """Relative to the project."""
    root: str
    """Root of the corpus it belongs to."""
    lines: Sequence[str]


def check_citations(
    files: Sequence[ProseFile],
    project: CitedProject,
    neighbours: Sequence[CitedProject],
    exists: Callable[[str], bool],
) -> tuple[Problem, ...]:
    """Check every reference to a corpus file.

    Args:
        files: what agents are told.
        project: the project of these files.
        neighbours: other projects that may be cited.
        exists: tells whether the project has a file, whatever it is.

    Returns:
        One problem for each reference that does not hold, in order of file and line.
    """
    library = _Library(project, neighbours, exists)
    return tuple(
        problem
        for file in files
        for paragraph in paragraphs(file.lines)
        for problem in _check_paragraph(file, paragraph, library)
    )


class _Reference(NamedTuple):
    written: str
    """The path, as written, decoded."""
    anchor: str
    line: int
    kind: str
    """`path`, `link`, `wikilink` or `url`."""


class _Target(NamedTuple):
    shown: str
    """The file's path as seen from this project."""
    file: CitedFile | None
    """None: there is no such file."""
    problem: str = ""
    """Why it can't be checked."""


def _check_paragraph(
    file: ProseFile, paragraph: Paragraph, library: "_Library"
) -> Iterator[Problem]:
    marker = _Marker(paragraph)
    for reference in _references(paragraph):
        target = library.find(reference, file)
        if target is None or target.shown == file.path:
            continue
        wrong = _why_wrong(reference, target, marker, library, paragraph)
        if wrong:
            rule, message = wrong
            yield Problem(file.path, reference.line, rule, message)


def _why_wrong(
    reference: _Reference,
    target: _Target,
    marker: "_Marker",
    library: "_Library",
    paragraph: Paragraph,
) -> tuple[str, str] | None:
    if target.problem:
        return "no-index", target.problem
    if target.file is None:
        near = library.nearest_file(target.shown)
        hint = f"; the nearest is {near}" if near else ""
        return "no-file", f"{target.shown} does not exist{hint}"
    anchors = target.file.anchors
    if reference.anchor:
        if target.file.has(reference.anchor):
            return None
        similar = get_close_matches(github_slug(reference.anchor), anchors, 1, cutoff=0.0)
        hint = f"the nearest is {target.shown}#{similar[0]}" if similar else "it has no sections"
        return "dead-anchor", f"#{reference.anchor} is no section of {target.shown}; {hint}"
    if not anchors or marker.holds:
        return None
    if marker.near_miss:
        message = f"`{marker.near_miss}` is not the marker: write `{MARKER}` and the reason"
        return "near-miss", message
    if marker.found:
        return "no-reason", f"`{MARKER}` needs a reason behind it, in the same paragraph"
    likely = _likely(anchors, paragraph.text)
    message = f"{target.shown} is cited whole: name a section, such as #{likely}, or say "
    return "no-anchor", message + f"`{MARKER}` and why in this paragraph"


class _Marker:
    """What a paragraph, or the one that leads it in, says about whole files."""

    def __init__(self, paragraph: Paragraph) -> None:
        texts = [_EMPHASIS.sub("", text) for text in (paragraph.text, paragraph.lead)]
        self.found = any(MARKER in text for text in texts)
        self.holds = any(_says_why(text) for text in texts)
        near = [found for text in texts if (found := _NEAR_MARKER.search(text))]
        self.near_miss = near[0].group().strip() if near and not self.found else ""


def _says_why(text: str) -> bool:
    _, marker, reason = text.partition(MARKER)
    words = _WORD.findall(_REFERENCE.sub(" ", reason))
    return bool(marker) and len(words) >= _REASON_WORDS


def _references(paragraph: Paragraph) -> Iterator[_Reference]:
    for found in _REFERENCE.finditer(paragraph.text):
        kind = "link" if found.lastgroup == "angled" else found.lastgroup or ""
        written = found["angled"] or found["link"] or found["wikilink"] or found["url"]
        if written:
            path, _, anchor = written.partition("#")
        elif found["placeholder"]:
            continue
        else:
            kind, path, anchor = "path", found["path"], found["anchor"] or ""
        if kind == "link" and "://" in path:
            kind = "url"
        start = max(found.start(group) for group in ("angled", "link", "wikilink", "url", "path"))
        line = paragraph.line + paragraph.text.count("\n", 0, start)
        if kind == "wikilink":
            anchor = anchor.rpartition("#")[2]
        if not any(sign in path for sign in "<*"):
            yield _Reference(percent_decode(path).rstrip("."), anchor.rstrip(".:"), line, kind)


class _Library:
    """Finds the corpus file that a reference means."""

    def __init__(
        self,
        project: CitedProject,
        neighbours: Sequence[CitedProject],
        exists: Callable[[str], bool],
    ) -> None:
        self._project = project
        self._neighbours = {neighbour.name: neighbour for neighbour in neighbours}
        self._exists = exists
        self._by_folder = {root.rpartition("/")[2]: root for root in project.corpora if root}
        self._files = [
            posixpath.join(root, path)
            for root, files in project.corpora.items()
            for path in files or {}
        ]

    def find(self, reference: _Reference, file: ProseFile) -> _Target | None:
        """Find what a reference means; None where that is no corpus file."""
        if reference.kind == "url":
            return self._by_address(reference.written)
        if reference.kind == "wikilink":
            return self._by_name(reference.written, file)
        found = [
            target
            for path in _candidates(reference, file)
            for target in (self._at(path), self._elsewhere(path))
            if target is not None
        ]
        existing = [target for target in found if target.file or target.problem]
        if existing or found:
            return (existing or found)[0]
        return self._unknown(reference.written)

    def nearest_file(self, path: str) -> str | None:
        """The corpus file whose path is most like another."""
        same_name = [known for known in self._files if known.endswith("/" + path)]
        near = same_name or get_close_matches(path, self._files, 1)
        return near[0] if near else None

    def _at(self, path: str, project: CitedProject | None = None) -> _Target | None:
        """The corpus file at a path of a project; its file is None where it should be one."""
        place = project or self._project
        shown = path if project is None else f"{place.name}/{path}"
        for corpus in corpora_among([path], place.rules):
            if not corpus.files:
                continue
            files = place.corpora.get(corpus.root, {})
            if files is None:
                index = (
                    corpus.index_path if project is None else f"{place.name}/{corpus.index_path}"
                )
                reason = f"{shown} can't be checked: {index} is missing"
                return _Target(shown, None, f"{reason}; build it: `pit-memory sections build`")
            return _Target(shown, files.get(corpus.files[0]))
        return None

    def _elsewhere(self, path: str) -> _Target | None:
        """A path that starts with the name of another plugin or project."""
        name, _, rest = path.lstrip("./").partition("/")
        if name in self._neighbours:
            return self._at(rest, self._neighbours[name])
        if name in self._by_folder:
            return self._at(posixpath.join(self._by_folder[name], rest))
        return None

    def _by_address(self, url: str) -> _Target | None:
        """A web address is a reference only where the repository is at hand."""
        found = _REPOSITORY_FILE.match(url)
        if not found:
            return None
        name, path = found.groups()
        if name == self._project.name:
            return self._at(path)
        return self._at(path, self._neighbours[name]) if name in self._neighbours else None

    def _by_name(self, note: str, file: ProseFile) -> _Target | None:
        """A wikilink names a path, or just the file, with or without its ending."""
        for root in dict.fromkeys((file.root, *self._project.corpora)):
            for path in self._project.corpora.get(root) or {}:
                stem = posixpath.splitext(path)[0]
                if note in {path, stem, posixpath.basename(stem), posixpath.basename(path)}:
                    return self._at(posixpath.join(root, path))
        return self._at(posixpath.join(file.root, f"{note.removesuffix('.md')}.md"))

    def _unknown(self, written: str) -> _Target | None:
        """A path that looks like a corpus file of a plugin nobody knows here."""
        path = _VARIABLE.sub("", written)
        parts = path.split("/")
        ends = ["/".join(parts[at:]) for at in range(1, len(parts))]
        looks = any(c.files for end in ends for c in corpora_among([end], DEFAULT_RULES[:1]))
        if not looks or self._exists(posixpath.normpath(path)):
            return None
        reason = f"{path} is in no corpus known here; if it is another repository's, check with "
        return _Target(path, None, f"{reason}`pit-memory citations check --neighbour DIR`")


def _candidates(reference: _Reference, file: ProseFile) -> Iterator[str]:
    """Paths, relative to the project, that a written path may mean; the likeliest first."""
    variable = _VARIABLE.match(reference.written)
    path = _VARIABLE.sub("", reference.written)
    here = posixpath.dirname(file.path)
    bases = [file.root, ""]
    if variable:
        bases = [""] if variable["name"] == _PROJECT_VARIABLE else [file.root]
    elif path.startswith("/"):
        bases, path = ["", file.root], path.lstrip("/")
    elif reference.kind == "link":
        bases.insert(0, here)
    elif "/" in path:
        bases.append(here)
    yield from dict.fromkeys(posixpath.normpath(posixpath.join(base, path)) for base in bases)


def _likely(anchors: Sequence[str], text: str) -> str:
    """The anchor that shares most words with a text; the first where none does."""
    words = set(re.findall(r"\w{3,}", text.casefold()))
    return max(anchors, key=lambda anchor: len(words & set(re.split(r"[-_]", anchor))))
