"""Check documents against the doc standard."""

import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.doc_standard import check_front_matter, check_structure
from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.link_targets import (
    candidates,
    has_written_id,
    is_section_anchor,
    may_be_elsewhere,
    wikilink_names,
)
from pit_memory.core.documents.links import Link, links_of
from pit_memory.core.documents.sections import ParsedMarkdown, find_section, split
from pit_memory.core.incidents.import_marks import is_as_imported
from pit_memory.core.settings.lint_rules import RuleOff
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import MARKDOWN_ENDINGS, Source
from pit_memory.core.text.decoding import decode
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.nearest import nearest, nearest_path
from pit_memory.errors import UsageError
from pit_memory.sources.front_matter import FrontMatter, read_front_matter
from pit_memory.sources.sieve import rules_of
from pit_memory.sources.sites import find_site
from pit_memory.sources.walker import list_source
from pit_memory.workspace.files import read_bytes, reason

DEFAULT_DOCS_FOLDER = "docs"
"""Where the documents are unless a site says otherwise."""
_NOT_FOR_RECORDS = frozenset({"vague-heading", "short-section"})
"""A record's sections are those of the story, Summary or Fix, and are found by its fields."""
_MAX_BYTES = 100_000_000
"""Of a document; far above what is indexed."""


@dataclass(frozen=True, slots=True)
class OffReport:
    """A rule that is switched off, and what that hid."""

    rule: str
    reason: str
    findings: int


@dataclass(frozen=True, slots=True)
class LintReport:
    """What is wrong with some documents."""

    files: int
    problems: tuple[Problem, ...]
    """By path, then line."""
    off: tuple[OffReport, ...]
    """Rules that the settings switch off and that would have found something."""
    imported: int = 0
    """Incident records as an import wrote them, which are not checked: their text is what another
    system holds, and the same import would no longer replace one that was corrected here."""


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A document, as far as its rules go."""

    path: str
    text: str
    parsed: ParsedMarkdown
    front: FrontMatter


Check = Callable[[Sequence[LintedFile]], Iterator[Problem]]
"""A further check of documents."""


def lint(
    source: Source,
    settings: Settings,
    paths: Sequence[str] = (),
    *,
    further: Sequence[Check] = (),
) -> LintReport:
    """Check documents of a project against the doc standard; push memory has rules of its own.

    Args:
        source: the project's own documents.
        settings: bounds, and rules that are switched off.
        paths: files and folders relative to the root; none means the documents' folder, where there
            is one.
        further: more checks.

    Raises:
        UsageError: a path names no document.
        SourceError: the root can't be listed.
    """
    return lint_documents(source, settings, paths, further=further)[1]


def lint_documents(
    source: Source,
    settings: Settings,
    paths: Sequence[str] = (),
    *,
    further: Sequence[Check] = (),
) -> tuple[list[LintedFile], LintReport]:
    """Like `lint`, with the documents that could be read, in order of their paths."""
    root = Path(source.root)
    known = _documents(source)
    site = find_site(root)
    docs_folder = site.docs_folder if site else DEFAULT_DOCS_FOLDER
    linted = sorted(_chosen(root, known, paths or _usual(known, docs_folder)))
    library = _Library(root, known, docs_folder)
    records = Globs(source.incidents)
    problems: list[Problem] = []
    files: list[LintedFile] = []
    imported = 0
    for path in linted:
        file = library.file(path)
        if isinstance(file, Problem):
            problems.append(file)
            continue
        is_record = records.match(path)
        if is_record and is_as_imported(file.text):
            imported += 1
            continue
        findings = _own_findings(file, settings.lint.longest)
        problems += (it for it in findings if not (is_record and it.rule in _NOT_FOR_RECORDS))
        problems += library.dead_links(file)
        files.append(file)
    problems += [found for check in further for found in check(files)]
    kept, off = _switched_off(problems, settings.lint.off)
    kept.sort(key=lambda problem: (problem.path, problem.line))
    return files, LintReport(len(linted), tuple(kept), off, imported)


def _documents(source: Source) -> frozenset[str]:
    paths = (file.path for file in list_source(Path(source.root), rules_of(source)).files)
    return frozenset(path for path in paths if posixpath.dirname(path) != source.entries)


def _usual(known: frozenset[str], docs_folder: str) -> Sequence[str]:
    """The folder of the documents, where there is one with some; nothing without any document."""
    if not known:
        return []
    return [docs_folder] if any(path.startswith(f"{docs_folder}/") for path in known) else ["."]


def _chosen(root: Path, known: frozenset[str], paths: Sequence[str]) -> Iterator[str]:
    for given in paths:
        path = posixpath.normpath(given)
        inside = [each for each in known if path in (".", each) or each.startswith(f"{path}/")]
        if not inside and (path.startswith("../") or not (root / path).exists()):
            near = nearest_path(path, known)
            hint = f"; did you mean {near}?" if near else ""
            message = f"there is no {given} in {root}{hint}"
            raise UsageError(message)
        if not inside and not (path.endswith(MARKDOWN_ENDINGS) and (root / path).is_file()):
            message = (
                f"{given} holds no document of {root}; `pit-memory status` says what is left out"
            )
            raise UsageError(message)
        yield from inside or [path]


def _own_findings(file: LintedFile, longest: int) -> Iterator[Problem]:
    for problem in file.front.problems:
        yield Problem(file.path, problem.line, "front-matter", problem.message)
    yield from check_front_matter(file.path, file.front.values, file.parsed.lines)
    yield from check_structure(file.path, file.parsed, file.front.values.get("title"), longest)


def _switched_off(
    problems: Sequence[Problem], off: Sequence[RuleOff]
) -> tuple[list[Problem], tuple[OffReport, ...]]:
    globs = [(one, Globs(one.paths) if one.paths else None) for one in off]
    hidden: Counter[RuleOff] = Counter()
    kept = []
    for problem in problems:
        for one, where in globs:
            if one.rule == problem.rule and (where is None or where.match(problem.path)):
                hidden[one] += 1
                break
        else:
            kept.append(problem)
    return kept, tuple(OffReport(one.rule, one.reason, hidden[one]) for one in off if hidden[one])


class _Library:
    """The files that links may lead to; each is read once."""

    def __init__(self, root: Path, known: frozenset[str], docs_folder: str) -> None:
        self._root = root
        self._known = known
        self._docs_folder = docs_folder
        self._files: dict[str, LintedFile | Problem] = {}
        self._by_name: dict[str, str] = {}
        for path in sorted(known, key=lambda path: (path.count("/"), path), reverse=True):
            stem = posixpath.splitext(path)[0]
            self._by_name[posixpath.basename(stem).casefold()] = path
            self._by_name[stem.casefold()] = path

    def file(self, path: str) -> LintedFile | Problem:
        """A document, read and split; a problem where it can't be read."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def dead_links(self, file: LintedFile) -> Iterator[Problem]:
        """The links of a document that lead nowhere."""
        for link in links_of(file.text):
            if link.is_local:
                found = (
                    self._dead_wikilink(link) if link.kind == "wikilink" else self._dead(link, file)
                )
                if found:
                    yield Problem(file.path, link.line, *found)

    def _dead(self, link: Link, file: LintedFile) -> tuple[str, str] | None:
        if not link.path:
            return self._dead_anchor(link, file.path, link.anchor)
        path = next(filter(self._exists, candidates(link, file.path, self._docs_folder)), None)
        if path:
            return self._dead_anchor(link, path, link.anchor)
        if may_be_elsewhere(link):
            return None
        rule = "dead-image" if link.kind == "image" else "dead-link"
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), link.path))
        near = nearest_path(wanted, self._known) if link.kind != "image" else None
        hint = f"; did you mean {near}?" if near else "; correct it, or take it away"
        return rule, f"{link.target} leads nowhere: there is no {wanted}{hint}"

    def _dead_wikilink(self, link: Link) -> tuple[str, str] | None:
        name, anchor = wikilink_names(link.target)
        if not name:
            return None
        path = self._by_name.get(name.removesuffix(".md").casefold())
        if path:
            return self._dead_anchor(link, path, anchor)
        if posixpath.splitext(name)[1] and self._has_attachment(name):
            return None
        near = nearest(name, self._by_name)
        hint = f"; did you mean [[{near}]]?" if near else ""
        return "dead-wikilink", f"[[{link.target}]] names no document{hint}"

    def _dead_anchor(self, link: Link, path: str, anchor: str) -> tuple[str, str] | None:
        if not path.endswith(MARKDOWN_ENDINGS) or not is_section_anchor(anchor):
            return None
        file = self.file(path)
        if isinstance(file, Problem) or find_section(file.parsed.sections, anchor):
            return None
        if has_written_id(file.text, anchor):
            return None
        near = nearest(anchor, [section.anchor for section in file.parsed.sections])
        hint = f"; did you mean #{near}?" if near else ""
        return "dead-anchor", f"{link.target}: no section of {path} is called #{anchor}{hint}"

    def _exists(self, path: str) -> bool:
        return path in self._known or (not path.startswith("../") and (self._root / path).exists())

    def _has_attachment(self, name: str) -> bool:
        if (self._root / name).exists():
            return True
        wanted = posixpath.basename(name)
        return any(wanted in files for _, _, files in os.walk(self._root))

    def _read(self, path: str) -> LintedFile | Problem:
        try:
            data = read_bytes(self._root / path, _MAX_BYTES)
        except OSError as error:
            return Problem(path, 0, "unreadable", f"the file can't be read: {reason(error)}")
        text = decode(data).text
        parsed = split(text)
        front = FrontMatter({})
        if parsed.front_matter_lines:
            front = read_front_matter(parsed.front_matter_text, parsed.front_matter_format)
        return LintedFile(path, text, parsed, front)
