"""The one write: check, route, write one new file, commit it, index it, read it back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.documents.citations import Ref, format_ref
from pit_memory.core.facts.facts import FACTS
from pit_memory.core.front_matter.block import locate_front_matter
from pit_memory.core.kinds import Form, Kind, written_kind
from pit_memory.core.push.memory_entries import HOST_TYPES
from pit_memory.core.serving.access import Access
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.secrets import refuse_secrets
from pit_memory.core.writing.receipt_text import commit_line
from pit_memory.core.writing.receipts import CommitOutcome, NearDuplicate, WriteReceipt
from pit_memory.core.writing.writings import Writing
from pit_memory.core.writing_checks import (
    id_of,
    plain_content,
    refuse_fields_of_no_text,
    scope_of,
    texts_of,
    title_of,
)
from pit_memory.errors import (
    StorageFullError,
    StoreError,
    UsageError,
    WriteRefusedError,
)
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.write_fact import write_fact
from pit_memory.operations.indexing.look import LookedStore, look
from pit_memory.operations.searching.near_duplicates import near_duplicates
from pit_memory.operations.searching.searched_store import SearchedStore
from pit_memory.operations.writing.push_follow_up import compile_entry, same_slug
from pit_memory.operations.writing.read_back import read_back
from pit_memory.operations.writing.site_guard import refuse_published
from pit_memory.operations.writing.write_places import WritePlace, place_for
from pit_memory.sources.front_matter import read_front_matter
from pit_memory.stores.store import Store
from pit_memory.workspace.commits import Changed, commit_files, unstage_new
from pit_memory.workspace.files import make_folder, write_new
from pit_memory.workspace.git import person_name
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import Places, commit_lock
from pit_memory.workspace.scratch import remove_abandoned
from pit_memory.workspace.unfinished_writes import (
    Unfinished,
    Written,
    abandoned_writes,
    unfinished_write,
)
from pit_memory.workspace.waiting_commits import let_wait
from pit_memory.workspace.work_trees import work_tree_of

_MOST_NAMES = 100
"""Numbers that are tried behind a name that is taken."""


@dataclass(frozen=True, slots=True)
class WritableProject:
    """A project, opened to be written to."""

    root: Path
    """Absolute, symlinks resolved."""
    settings: Settings
    own: Source
    """The project's own documents."""
    personal: Source
    """The person's push memory."""
    sources: Sequence[Source]
    """All that a search of the project asks."""
    store: Store
    searched: SearchedStore
    where: Places
    environ: Mapping[str, str]
    plugin: Path | None
    """The plugin's own folder, where it is known."""
    open_facts: Callable[[], Facts]
    """The person's facts, opened when one is written."""


def write(project: WritableProject, request: WriteRequest, today: str) -> WriteReceipt:
    """Write one piece of knowledge to the home of its kind.

    Args:
        project: where to.
        request: what.
        today: ISO 8601 date.

    Returns:
        The receipt; `is_written` is False where something near it is there and `force` is off.

    Raises:
        UsageError: an argument is wrong.
        WriteRefusedError: it holds a secret, a site would publish the draft, or the project's
            folder isn't there.
        PathError, StorageFullError: its home can't be written to. Nothing was.
    """
    if not project.root.is_dir():
        message = f"nothing was written: {project.root} is not there; mount or restore it"
        raise WriteRefusedError(message)
    kind, form = written_kind(request.kind)
    if kind.collection == FACTS:
        return write_fact(project.open_facts(), request.access, request.content, request.title)
    scope = scope_of(kind, form, request.scope)
    if scope == "personal" and not request.access.is_local:
        message = (
            f"scope: {request.access.name} has no folder of its own on this server; write "
            "it with scope project"
        )
        raise UsageError(message)
    writing = _writing(project, kind, request, today)
    identity = id_of(form, writing)
    given = {"title": request.title, "content": request.content}
    refuse_secrets(given | {name: str(value) for name, value in request.fields.items()})
    place = place_for(form, scope, project.settings, project.own, project.personal)
    if form.is_draft:
        refuse_published(project.root, place.folder)
    name = form.file.format(kind=kind.name, id=identity)
    finished = list(_finish_abandoned(project))
    near, notes = _look_around(project, request.access, kind, writing, place, name, identity)
    notes += finished
    if near and not request.force:
        return _not_written(kind, form, writing, near, notes)
    with unfinished_write(project.where, project.root) as unfinished:
        path = _write_file(place, form, writing, identity, unfinished, force=request.force)
        if path is None:
            near = [_same_name(place, name)]
            return _not_written(kind, form, writing, near, notes)
        commit = _commit(project, kind, writing.title, place, path)
    relative = path.relative_to(Path(place.source.root).resolve()).as_posix()
    is_committed = commit.state == "committed"
    found = read_back(project.searched, place.source, relative, writing, is_committed=is_committed)
    if kind.name in HOST_TYPES:
        notes += compile_entry(
            project.root, project.where, project.environ, project.plugin, path.stem
        )
    return WriteReceipt(
        is_written=True,
        kind=kind.name,
        title=writing.title,
        visible=_visible(form, place, commit),
        place=place.shown(path),
        ref=found.ref or format_ref(Ref(relative, place.source.name or None)),
        route=form.route,
        commit=commit,
        is_retrievable=bool(found.ref),
        why_not_retrievable=found.why,
        near=tuple(near),
        notes=tuple(notes),
    )


def _writing(project: WritableProject, kind: Kind, request: WriteRequest, today: str) -> Writing:
    """The content taken apart: front matter and text, with what the call says laid over it."""
    text = plain_content(request.content)
    lines = text.split("\n")
    fields: dict[str, object] = {}
    block = locate_front_matter(lines)
    if block and block.has_keys:
        front = read_front_matter(block.text, block.format)
        if front.problems:
            problem = front.problems[0]
            message = f"content: line {problem.line}: {problem.message.partition('; ')[0]}"
            raise UsageError(message)
        refuse_fields_of_no_text(front.values)
        refuse_secrets({"front matter": "\n".join(texts_of(front.values))})
        fields = dict(front.values)
        text = plain_content("\n".join(lines[block.line_end :]))
    fields |= {key: value for key, value in request.fields.items() if value not in (None, "")}
    return Writing(
        kind=kind.name,
        title=title_of(request.title, fields, text),
        body=text,
        fields=fields,
        author=_author(project, request.access),
        created=today,
    )


def _author(project: WritableProject, access: Access) -> str:
    if not access.is_local:
        return access.name
    return person_name(project.root)


def _look_around(
    project: WritableProject,
    access: Access,
    kind: Kind,
    writing: Writing,
    place: WritePlace,
    name: str,
    identity: str,
) -> tuple[list[NearDuplicate], list[str]]:
    """What is near it already, and one line for each thing that is only to be known."""
    near = []
    if place.path_of(name).exists():
        near.append(_same_name(place, name))
    if kind.name in HOST_TYPES:
        near += same_slug(project.root, project.where, project.settings, identity, name)
    notes = []
    try:
        seen = look([LookedStore(project.store, tuple(project.sources))])
        if seen.pending_files:
            files = counted(seen.pending_files, "file")
            notes.append(f"{files} not indexed yet, so not compared with")
        alike = near_duplicates(project.searched, access, kind.collection, writing)
        for found, is_same in alike:
            if is_same and not any(found.ref.startswith(other.ref) for other in near):
                near.append(found)
            elif not is_same:
                notes.append(f"{found.ref} {found.why}")
    except (StoreError, StorageFullError) as error:
        notes.append(f"not compared with what is there: {error}")
    return near, notes


def _same_name(place: WritePlace, name: str) -> NearDuplicate:
    path = place.path_of(name).relative_to(Path(place.source.root).resolve()).as_posix()
    return NearDuplicate(format_ref(Ref(path, place.source.name or None)), name, "has this name")


def _not_written(
    kind: Kind, form: Form, writing: Writing, near: Sequence[NearDuplicate], notes: Sequence[str]
) -> WriteReceipt:
    return WriteReceipt(
        is_written=False,
        kind=kind.name,
        title=writing.title,
        visible="",
        place="",
        ref="",
        route=form.route,
        commit=CommitOutcome("not committed", reason="nothing was written"),
        is_retrievable=False,
        why_not_retrievable="nothing was written",
        near=tuple(near),
        notes=tuple(notes),
    )


def _write_file(
    place: WritePlace,
    form: Form,
    writing: Writing,
    identity: str,
    unfinished: Unfinished,
    *,
    force: bool,
) -> Path | None:
    """Make the file under a name that nothing has; None where the name is taken and no force."""
    for number in range(1, _MOST_NAMES + 1):
        free = identity if number == 1 else f"{identity}-{number}"
        path = place.path_of(form.file.format(kind=writing.kind, id=free))
        data = form.render(writing, free).encode()
        make_folder(path.parent)
        if place.is_shared:
            unfinished.note(Written(writing.kind, writing.title, path), data)
        try:
            write_new(path, data)
        except FileExistsError:
            if force:
                continue
            return None
        return path
    message = f"title: {_MOST_NAMES} files are named {identity} already; give another title"
    raise UsageError(message)


def _finish_abandoned(project: WritableProject) -> Iterator[str]:
    """Commit what calls have written that were killed; yields one line for each."""
    remove_abandoned()
    for written in abandoned_writes(project.where, project.root):
        kind, _ = written_kind(written.kind)
        tree = work_tree_of(written.path.parent)
        if tree is None or not written.path.is_relative_to(tree.top.resolve()):
            continue
        path = written.path.relative_to(tree.top.resolve()).as_posix()
        if unstage_new(tree.top, path, FileLock(commit_lock(project.where, tree.git_dir))):
            outcome = _commit_shared(project, kind, written.title, written.path)
            yield f"{path} is of a call that was ended: {commit_line(outcome)}"


def _commit(
    project: WritableProject, kind: Kind, title: str, place: WritePlace, path: Path
) -> CommitOutcome:
    if not place.is_shared:
        return CommitOutcome("waiting", reason="your own folder is yours to keep in git")
    return _commit_shared(project, kind, title, path)


def _commit_shared(project: WritableProject, kind: Kind, title: str, path: Path) -> CommitOutcome:
    tree = work_tree_of(path.parent)
    if tree is None:
        reason = f"{project.root} is no git repository"
        return CommitOutcome("no repository", reason=reason)
    policy = project.settings.commit_policy(kind.name)
    if policy == "never":
        return CommitOutcome("waiting", reason=f"commit.{kind.name} is never: commit it yourself")
    if policy == "wrapup":
        let_wait(project.where, project.root, path)
        reason = f"commit.{kind.name} is wrapup: `pit-memory remember --commit-waiting` commits it"
        return CommitOutcome("waiting", reason=reason)
    return commit_files(
        tree.top,
        Changed([path.relative_to(tree.top.resolve()).as_posix()]),
        f"docs: remember {kind.name}: {title}",
        FileLock(commit_lock(project.where, tree.git_dir)),
        protected=project.settings.commit.protected,
    )


def _visible(form: Form, place: WritePlace, commit: CommitOutcome) -> str:
    if not place.is_shared:
        return "Visible to you alone, on this machine, in every project."
    draft = " It is a draft: agents find it, nothing publishes it." if form.is_draft else ""
    if commit.state == "committed":
        return f"Visible to everyone with this repository, once the branch is pushed.{draft}"
    if commit.state == "no repository":
        return f"Visible to whoever can read this folder; it is no git repository.{draft}"
    return f"Visible in this working tree alone, until it is committed and pushed.{draft}"
