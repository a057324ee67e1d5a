"""What publishing a draft would change: worked out whole before anything is written."""

import difflib
import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pit_memory.core.documents.merged_text import merge
from pit_memory.core.documents.moved_links import Move, rewrite_links_to, rewrite_own_links
from pit_memory.core.documents.sections import find_section, split
from pit_memory.core.source import MARKDOWN_ENDINGS, Source
from pit_memory.core.text.decoding import decode, line_end_of, lines_of, with_lf
from pit_memory.core.text.nearest import nearest
from pit_memory.core.web.nav_text import NavEntry, with_nav_entry
from pit_memory.core.web.sites import Site, is_excluded
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.core.writing.published_text import lines_with_origin, published_lines
from pit_memory.core.writing_checks import texts_of
from pit_memory.errors import UsageError, WriteRefusedError
from pit_memory.operations.drafts.file_edits import MAX_EDITED_BYTES, FileEdit
from pit_memory.operations.quality.lint import DEFAULT_DOCS_FOLDER
from pit_memory.sources.front_matter import read_front_matter
from pit_memory.sources.sieve import rules_of
from pit_memory.sources.sites import find_site, load_tagged_yaml
from pit_memory.sources.walker import list_source
from pit_memory.workspace.files import read_bytes, reason, resolve_inside
from pit_memory.workspace.git import is_ignored
from pit_memory.workspace.work_trees import toplevel

_NAMED = 5
"""Lines named in one note."""


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """What to do with one draft."""

    draft: str
    """Its path, relative to the root."""
    to: str
    """Path of the page, or a folder for it; relative to the root."""
    into: str = ""
    """`path#anchor` of a published section that takes it in; empty: it becomes a page."""
    replace: bool = False
    """With `into`: in place of that section's own text."""


@dataclass(frozen=True, slots=True)
class PublishPlan:
    """Everything that publishing one draft changes."""

    draft: str
    target: str
    """Path of the page; with `into` the citation of the section."""
    title: str
    edits: tuple[FileEdit, ...]
    """The draft's removal last, if it is there."""
    notes: tuple[str, ...]

    @property
    def others(self) -> tuple[str, ...]:
        """Files that change with the draft and its page."""
        own = (self.draft, self.target.partition("#")[0])
        return tuple(edit.path for edit in self.edits if edit.path not in own)

    def diff(self) -> str:
        """All changes as a unified diff; a move shows as what changes in it."""
        draft = next((edit for edit in self.edits if edit.path == self.draft), None)
        parts = []
        for edit in self.edits:
            if edit is draft and not any(other.before is None for other in self.edits):
                parts.append(_diff(edit.path, "/dev/null", edit.before, None))
            elif edit is not draft:
                old = draft.before if edit.before is None and draft else edit.before
                name = self.draft if edit.before is None and draft else edit.path
                parts.append(_diff(name, edit.path, old, edit.after))
        return "".join(parts)


@dataclass(slots=True)
class _Files:
    """The files of a project as they will be, by path."""

    root: Path
    dirty: Mapping[str, str]
    """What the person has changed and not committed, relative to the root."""
    before: dict[str, bytes | None] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        if path not in self.before:
            try:
                self.before[path] = read_bytes(self.root / path, MAX_EDITED_BYTES)
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                self.before[path] = None
            except OSError as error:
                message = f"{path} can't be read: {reason(error)}"
                raise WriteRefusedError(message) from error
        return self.after.get(path, self.before[path])

    def exists(self, path: str) -> bool:
        return not path.startswith("../") and (self.root / path).exists()

    def edits(self, draft: str) -> tuple[FileEdit, ...]:
        found = [FileEdit(path, self.before[path], data) for path, data in self.after.items()]
        changed = [edit for edit in found if edit.before != edit.after]
        return tuple(
            sorted(changed, key=lambda edit: (edit.path == draft, edit.before is not None))
        )


def plan_publish(
    source: Source, request: PublishRequest, draft: bytes, dirty: Mapping[str, str]
) -> PublishPlan:
    """Work out what publishing a draft changes; nothing is written.

    Args:
        source: the project's own documents, as they are where the change is to be made.
        request: what to do.
        draft: the draft's content; it need not lie in the source's folder.
        dirty: paths of that folder with changes that are not committed: they stay as they are.

    Raises:
        WriteRefusedError: the draft or its target does not allow it; says why and what to do.
        UsageError: the section of `into` does not exist.
        PathError: the target leads out of the root.
    """
    root = Path(source.root)
    site = find_site(root)
    docs_folder = site.docs_folder if site else DEFAULT_DOCS_FOLDER
    files = _Files(root, dirty)
    text = _text(request.draft, draft)
    lines = lines_of(with_lf(text))
    title = _title(request.draft, lines)
    notes: list[str] = []
    if request.into:
        move = _plan_merge(files, request, lines, title, docs_folder)
        target = f"{move.new}#{move.anchor}"
    else:
        move = _plan_page(files, site, request, lines, text, docs_folder)
        target = move.new
        notes += _add_to_nav(files, site, NavEntry(title, _inside(site, move.new)))
    notes += _rewrite_links(files, source, move, docs_folder)
    if request.into:
        notes += _add_origin(files, request.draft, move)
    if files.read(request.draft) is not None:
        files.after[request.draft] = None
    return PublishPlan(request.draft, target, title, files.edits(request.draft), tuple(notes))


def _text(path: str, data: bytes) -> str:
    """The text of a file that may be written again without losing a byte."""
    decoded = decode(data)
    if decoded.encoding != "utf-8" or decoded.problem:
        message = f"{path} {decoded.problem or 'is not UTF-8: save it as UTF-8'}"
        raise WriteRefusedError(message)
    return data.decode("utf-8-sig")


def _title(path: str, lines: Sequence[str]) -> str:
    parsed = split("\n".join(lines))
    values: Mapping[str, object] = {}
    if parsed.front_matter_lines:
        front = read_front_matter(parsed.front_matter_text, parsed.front_matter_format)
        if front.problems:
            problem = front.problems[0]
            message = (
                f"{path}:{problem.line}: {problem.message.partition('; ')[0]}; correct it first"
            )
            raise WriteRefusedError(message)
        values = front.values
    title = values.get("title")
    named = str(title).strip() if isinstance(title, str | int | float) else ""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return " ".join(named.split()) or parsed.h1 or stem


def _plan_page(
    files: _Files,
    site: Site | None,
    request: PublishRequest,
    lines: Sequence[str],
    text: str,
    docs_folder: str,
) -> Move:
    target = _page_path(request)
    _check_target(files, site, target, docs_folder)
    move = Move(request.draft, target, {})
    own = rewrite_own_links(lines, move, files.exists, docs_folder)
    new = published_lines(own.lines, request.draft)
    _check_front_matter(request.draft, lines, new)
    files.before[target] = None
    files.after[target] = _joined(new, text)
    return move


def _page_path(request: PublishRequest) -> str:
    to = request.to
    if to.endswith("/") or not to.endswith(MARKDOWN_ENDINGS):
        to = posixpath.join(to, posixpath.basename(request.draft))
    return to if to.startswith("/") else posixpath.normpath(to)


def _check_target(files: _Files, site: Site | None, target: str, docs_folder: str) -> None:
    place = resolve_inside(files.root, target)
    folder = f"{docs_folder}/" if docs_folder else ""
    if not target.startswith(folder) or not place.is_relative_to(files.root / docs_folder):
        message = f"{target} lies outside of {folder or files.root}, which is published; give --to"
        raise WriteRefusedError(message)
    if target.startswith(f"{DRAFTS_HOME}/"):
        message = f"{target} would still be a draft; give --to a folder that is published"
        raise WriteRefusedError(message)
    if files.exists(target) or (files.root / target).is_symlink():
        message = (
            f"{target} is there already, and stays as it is; give another name with --to, or put "
            f"the draft into it: --into {target}#ANCHOR"
        )
        raise WriteRefusedError(message)
    inside = site.below(target) if site else None
    if site and inside and is_excluded(site, inside):
        message = f"{site.config} leaves {target} out, so nobody could read it; give --to"
        raise WriteRefusedError(message)
    if toplevel(files.root) and is_ignored(files.root, target) is True:
        message = f"git ignores {target}; give --to a path that it doesn't"
        raise WriteRefusedError(message)


def _check_front_matter(path: str, before: Sequence[str], after: Sequence[str]) -> None:
    """Nothing but the draft flag and the origin may have changed, whatever form they are in."""
    old, new = _values(before), _values(after)
    if {**old, "draft": None, "moved_from": None} != {**new, "draft": None, "moved_from": None} or (
        "draft" in new
    ):
        message = (
            f"{path}: its front matter has `draft` in a form that can't be taken out safely; write "
            "`draft: true` on a line of its own"
        )
        raise WriteRefusedError(message)


def _values(lines: Sequence[str]) -> dict[str, object]:
    parsed = split("\n".join(lines))
    if not parsed.front_matter_lines:
        return {}
    return dict(read_front_matter(parsed.front_matter_text, parsed.front_matter_format).values)


def _plan_merge(
    files: _Files,
    request: PublishRequest,
    lines: Sequence[str],
    title: str,
    docs_folder: str,
) -> Move:
    path, _, anchor = request.into.partition("#")
    anchor = anchor.partition("@")[0]
    path = posixpath.normpath(path)
    if path.startswith(f"{DRAFTS_HOME}/"):
        message = f"--into: {path} is a draft itself; name a published section"
        raise UsageError(message)
    resolve_inside(files.root, path)
    data = files.read(path)
    if data is None or not path.endswith(MARKDOWN_ENDINGS):
        message = f"--into: there is no document {path}; name a published section, path#anchor"
        raise UsageError(message)
    if path in files.dirty:
        message = f"{path} has changes that are not committed; commit or stash them, then publish"
        raise WriteRefusedError(message)
    text = _text(path, data)
    document = split(text)
    section = find_section(document.sections, anchor) if anchor else None
    if section is None:
        names = [each.anchor for each in document.sections if each.anchor]
        near = nearest(anchor, names) if anchor else None
        hint = f"did you mean {path}#{near}?" if near else f"there are {', '.join(names)}"
        message = f"--into: {request.into} names no section; {hint}"
        raise UsageError(message)
    own = rewrite_own_links(lines, Move(request.draft, path, {}), files.exists, docs_folder)
    merged = merge(document, section, split("\n".join(own.lines)), title, replace=request.replace)
    files.after[path] = _joined(merged.lines, text)
    return Move(request.draft, path, merged.anchors, merged.anchor)


def _add_origin(files: _Files, draft: str, move: Move) -> list[str]:
    """Let the page that took a draft in say so, for citations of it; a note where it can't."""
    text = (files.read(move.new) or b"").decode("utf-8-sig")
    lines = lines_of(with_lf(text))
    origin = f"{draft}#{move.anchor}"
    new = lines_with_origin(lines, origin)
    before, after = _values(lines), _values(new)
    came_from = {*texts_of(before.pop("moved_from", ())), origin}
    if {*texts_of(after.pop("moved_from", ()))} == came_from and before == after:
        files.after[move.new] = _joined(new, text)
        return []
    why = "its front matter has `moved_from` in a form that can't be added to safely"
    return [f"{move.new} doesn't say what it took in, as {why}: citations of {draft} lead nowhere"]


def _add_to_nav(files: _Files, site: Site | None, entry: NavEntry) -> list[str]:
    """Add a page to an explicit `nav`; the line to add where that can't be done safely."""
    if site is None or site.generator not in {"mkdocs", "zensical"}:
        return []
    data = files.read(site.config)
    if data is None:
        return []
    add = f"add to the nav of {site.config}: {entry.line}"
    if site.generator == "zensical":
        return [add] if b"nav = [" in data else []
    try:
        text = _text(site.config, data)
        old = load_tagged_yaml(text)
    except (WriteRefusedError, ValueError):
        return [f"{add} (the file can't be read)"]
    if not isinstance(old, dict) or old.get("nav") is None or _lists(old["nav"], entry.path):
        return []
    if site.config in files.dirty:
        return [f"{add} (the file has changes of yours)"]
    changed = with_nav_entry(with_lf(text), entry)
    if changed is None or not _only_adds(old, changed, entry):
        return [add]
    files.after[site.config] = _joined(lines_of(changed), text)
    return []


def _lists(nav: object, path: str) -> bool:
    """Tell whether a nav has a page already, or a folder of it for a plugin to fill."""
    if isinstance(nav, dict):
        return any(_lists(value, path) for value in nav.values())
    if isinstance(nav, list):
        return any(_lists(value, path) for value in nav)
    if not isinstance(nav, str):
        return False
    return nav == path or (nav.endswith("/") and path.startswith(nav)) or nav.endswith("*")


def _only_adds(old: object, changed: str, entry: NavEntry) -> bool:
    """Tell whether the changed text means the old configuration with one more page, no more."""
    try:
        new = load_tagged_yaml(changed)
    except ValueError:
        return False
    # An alias is one value in two places: apart, a page in the second one shows.
    old, new = _apart(old), _apart(new)
    if not isinstance(new, dict) or not _take_out(new.get("nav"), {entry.title: entry.path}):
        return False
    return new == old


def _apart(value: object) -> object:
    """A value in which nothing is shared."""
    if isinstance(value, dict):
        return {key: _apart(inner) for key, inner in value.items()}
    return [_apart(inner) for inner in value] if isinstance(value, list) else value


def _take_out(nav: object, item: dict[str, str]) -> bool:
    if isinstance(nav, dict):
        return any(_take_out(value, item) for value in nav.values())
    if not isinstance(nav, list):
        return False
    if item in nav:
        nav.remove(item)
        return True
    return any(_take_out(value, item) for value in nav)


def _inside(site: Site | None, path: str) -> str:
    return (site.below(path) if site else None) or path


def _rewrite_links(files: _Files, source: Source, move: Move, docs_folder: str) -> list[str]:
    """Let every link and citation of the draft lead to the page; the person's changes stay."""
    notes = []
    stem = posixpath.basename(posixpath.splitext(move.old)[0])
    needles = {stem.encode(), stem.replace(" ", "%20").encode()}
    known = (seen.path for seen in list_source(files.root, rules_of(source)).files)
    for path in sorted(known):
        data = files.read(path) if path != move.old else None
        if data is None or not any(needle in data for needle in needles):
            continue
        try:
            text = _text(path, data)
        except WriteRefusedError:
            notes.append(f"{path} may point at the draft; it isn't UTF-8, so it stays as it is")
            continue
        lines = lines_of(with_lf(text))
        exists: Callable[[str], bool] = lambda each: each == move.old or files.exists(each)  # noqa: E731
        rewritten = rewrite_links_to(lines, path, move, exists, docs_folder)
        wrong = rewritten.missed
        if rewritten.changed and path in files.dirty:
            wrong = (*wrong, *rewritten.changed)
        elif rewritten.changed:
            files.after[path] = _joined(rewritten.lines, text)
        if wrong:
            named = ", ".join(f"{path}:{line}" for line in sorted({*wrong})[:_NAMED])
            why = "has changes of yours" if path in files.dirty else "is written in its own way"
            notes.append(f"{named} still names the draft and {why}: make it {move.new}")
    return notes


def _joined(lines: Sequence[str], like: str) -> bytes:
    """The bytes of lines, with the line ends and the byte order mark of a text."""
    end = line_end_of(like)
    mark = "\ufeff" if like.startswith("\ufeff") else ""
    return (mark + end.join(lines) + end).encode()


def _diff(old_name: str, new_name: str, old: bytes | None, new: bytes | None) -> str:
    rows = difflib.unified_diff(
        _rows(old),
        _rows(new),
        "/dev/null" if old is None else f"a/{old_name}",
        "/dev/null" if new is None else f"b/{new_name}",
    )
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows)


def _rows(data: bytes | None) -> list[str]:
    return (data or b"").decode(errors="replace").splitlines(keepends=True)
