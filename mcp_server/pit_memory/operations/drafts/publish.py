"""Publish drafts the person approved, and discard others: one commit each, indexed at once."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source
from pit_memory.core.text.globs import Globs
from pit_memory.core.writing.draft_cards import PublishOutcome
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.errors import (
    GitError,
    NotFoundError,
    PathError,
    StorageFullError,
    StoreBusyError,
    StoreError,
    UsageError,
    WriteRefusedError,
)
from pit_memory.operations.drafts.draft_files import find_draft
from pit_memory.operations.drafts.drafts import default_target
from pit_memory.operations.drafts.file_edits import (
    MAX_EDITED_BYTES,
    FileEdit,
    apply_edits,
    changed_by,
    take_back_edits,
)
from pit_memory.operations.drafts.publish_plan import PublishPlan, PublishRequest, plan_publish
from pit_memory.workspace.commits import commit_files, unstage_new, why_not_now
from pit_memory.workspace.files import read_bytes, reason
from pit_memory.workspace.git_changes import current_branch, in_head, uncommitted
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.noted_edits import (
    NotedEdit,
    forget_edits,
    note_edits,
    noted_edits,
    take_back_noted,
)
from pit_memory.workspace.places import Places, commit_lock
from pit_memory.workspace.work_trees import common_dir, toplevel, work_tree_of

_WAIT_SECONDS = 30.0
"""For another wrap-up of the same repository."""

REFUSALS = (NotFoundError, PathError, StorageFullError, UsageError, WriteRefusedError)
"""What keeps one draft from being published, and not the others."""

Index = Callable[[Sequence[str]], None]
"""Indexes single files, given relative to the root."""


@dataclass(frozen=True, slots=True)
class Approved:
    """A draft the person chose, and what to do with it."""

    name: str
    """As they named it."""
    to: str = ""
    """Page or folder; empty: the usual folder."""
    into: str = ""
    replace: bool = False


@dataclass(frozen=True, slots=True)
class PublishDesk:
    """What publishing needs to know of a project."""

    source: Source
    """The project's own documents."""
    settings: Settings
    where: Places
    index: Index
    approved_by: str = ""
    """Who chose, for the commit; empty where nobody is named."""

    @property
    def root(self) -> Path:
        """Of the project."""
        return Path(self.source.root)


def chosen_way(desk: PublishDesk, asked: str) -> str:
    """How to publish: as asked for, else by the settings; by pull request on a protected branch.

    Args:
        desk: where.
        asked: `commit`, `pr`, or empty.
    """
    return asked or ("pr" if protected_branch(desk) else desk.settings.publish.via)


def protected_branch(desk: PublishDesk) -> str:
    """The branch of the project where nothing is committed to it; empty where that may be."""
    protected = Globs(desk.settings.commit.protected)
    branch = current_branch(desk.root) if protected and toplevel(desk.root) else ""
    return branch if branch and protected.match(branch) else ""


def publish(
    desk: PublishDesk, approved: Sequence[Approved], *, dry_run: bool = False
) -> Iterator[PublishOutcome]:
    """Publish exactly the drafts that were approved, in their order; one commit each.

    Nothing of a draft is changed before all of it is known to be possible, and a commit that fails
    takes everything back: one that can't be published stays a draft, and the next one is tried.

    Args:
        desk: where.
        approved: what the person chose.
        dry_run: work out the changes and write nothing.

    Raises:
        StoreBusyError: another wrap-up of this repository is at work.
        WriteRefusedError: a merge, rebase or the like is in progress.
    """
    with _alone(desk):
        notes = () if dry_run else _take_back_killed(desk)
        for one in approved:
            try:
                plan = _plan(desk, one)
                done = _planned(plan) if dry_run else _carry_out(desk, plan)
            except REFUSALS as error:
                done = PublishOutcome(one.name, "", "refused", reason=str(error))
            yield replace(done, notes=(*notes, *done.notes))
            notes = ()


def discard(desk: PublishDesk, names: Sequence[str]) -> Iterator[PublishOutcome]:
    """Remove drafts, one commit each: git still has them.

    Raises like `publish`.
    """
    with _alone(desk):
        notes = _take_back_killed(desk)
        for name in names:
            try:
                done = _discard(desk, find_draft(desk.root, name))
            except REFUSALS as error:
                done = PublishOutcome(name, "", "refused", reason=str(error))
            yield replace(done, notes=(*notes, *done.notes))
            notes = ()


def request_of(desk: PublishDesk, approved: Approved) -> PublishRequest:
    """What an approval asks for, as paths.

    Raises:
        NotFoundError: there is no such draft (any more).
    """
    draft = find_draft(desk.root, approved.name)
    to = approved.to or default_target(draft, desk.settings)
    return PublishRequest(draft, to, approved.into, approved.replace)


@contextmanager
def one_at_a_time(desk: PublishDesk) -> Iterator[None]:
    """Keep other wrap-ups of the repository out, whichever of its work trees they are in.

    Raises:
        StoreBusyError: another one takes long.
    """
    top = toplevel(desk.root)
    own = common_dir(top) if top else None
    if own is None:
        yield
        return
    lock = FileLock(commit_lock(desk.where, own.resolve()).with_suffix(".publishing"))
    lock.acquire(_WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _alone(desk: PublishDesk) -> Iterator[None]:
    """Keep other wrap-ups of the repository out, and begin nothing amid a merge."""
    top = toplevel(desk.root)
    if top and (why := why_not_now(top)):
        message = f"nothing was changed: {why.partition(';')[0]}; finish it first"
        raise WriteRefusedError(message)
    with one_at_a_time(desk):
        yield


def _note_file(desk: PublishDesk) -> Path | None:
    """Where edits in the making are noted; None without the lock that a repository gives."""
    tree = work_tree_of(desk.root)
    return commit_lock(desk.where, tree.git_dir).with_suffix(".edits") if tree else None


@contextmanager
def _noted(desk: PublishDesk, edits: Sequence[FileEdit]) -> Iterator[None]:
    """Keep edits in mind while they are made and committed: a kill leaves the note behind."""
    file = _note_file(desk)
    if file is None:
        yield
        return
    root = desk.root
    note_edits(file, [NotedEdit(root / edit.path, edit.before, edit.after) for edit in edits])
    try:
        yield
    except REFUSALS:  # they were taken back
        forget_edits(file)
        raise
    forget_edits(file)


def _take_back_killed(desk: PublishDesk) -> tuple[str, ...]:
    """Take back what a publish or discard has left that was killed before its commit.

    Raises:
        WriteRefusedError, StorageFullError: it can't be told or done.
    """
    file = _note_file(desk)
    edits = noted_edits(file) if file else ()
    top = toplevel(desk.root)
    if file is None or top is None or not edits:
        return ()
    top = top.resolve()
    paths = [edit.path.resolve().relative_to(top).as_posix() for edit in edits]
    if changes_of(top).keys().isdisjoint(paths):  # nothing was made yet, or all is committed
        forget_edits(file)
        return ()
    lock = FileLock(file.with_suffix(".lock"))
    for edit, path in zip(edits, paths, strict=True):
        if edit.before is None:
            unstage_new(top, path, lock)
    done = take_back_noted(edits)
    forget_edits(file)
    names = ", ".join(path.name for path in done)
    return (f"taken back first, as it was killed before its commit: {names}",) if done else ()


def _plan(desk: PublishDesk, approved: Approved) -> PublishPlan:
    request = request_of(desk, approved)
    dirty = changes_of(desk.root)
    plan = plan_publish(desk.source, request, read_draft(desk.root, request.draft), dirty)
    if dirty.get(request.draft, "??") == "??":
        return plan
    return replace(plan, notes=(*plan.notes, "published with its changes that weren't committed"))


def read_draft(root: Path, draft: str) -> bytes:
    """The content of a draft.

    Raises:
        WriteRefusedError: it can't be read.
    """
    try:
        return read_bytes(root / draft, MAX_EDITED_BYTES)
    except OSError as error:
        message = f"{draft} can't be read: {reason(error)}"
        raise WriteRefusedError(message) from error


def changes_of(root: Path) -> Mapping[str, str]:
    """What is not committed in a project, by path; nothing where there is no repository."""
    if toplevel(root) is None:
        return {}
    try:
        return uncommitted(root)
    except GitError as error:
        message = f"git can't say what is not committed: {error}"
        raise WriteRefusedError(message) from error


def _planned(plan: PublishPlan) -> PublishOutcome:
    return PublishOutcome(
        plan.draft, plan.target, "planned", changed=plan.others, diff=plan.diff(), notes=plan.notes
    )


def _carry_out(desk: PublishDesk, plan: PublishPlan) -> PublishOutcome:
    """Write, commit, index; a commit that fails takes back what was written."""
    known = _committed(desk.root, plan)
    with _noted(desk, plan.edits):
        apply_edits(desk.root, plan.edits)
        commit = _commit(desk, plan, known)
        if commit.state == "not committed":
            take_back_edits(desk.root, plan.edits)
    if commit.state == "not committed":
        reason = f"not committed, so nothing was changed: {commit.reason}"
        return PublishOutcome(plan.draft, plan.target, "refused", commit, reason)
    notes = (*plan.notes, *_indexed(desk, plan.edits))
    return PublishOutcome(
        plan.draft, plan.target, "published", commit, changed=plan.others, notes=notes
    )


def _committed(root: Path, plan: PublishPlan) -> frozenset[str]:
    if toplevel(root) is None:
        return frozenset()
    try:
        return in_head(root, [edit.path for edit in plan.edits])
    except GitError as error:
        message = f"git can't say what it knows: {error}"
        raise WriteRefusedError(message) from error


def _commit(desk: PublishDesk, plan: PublishPlan, known: frozenset[str]) -> CommitOutcome:
    message = message_of(plan, desk.approved_by)
    return _commit_edits(desk, plan.edits, known, message)


def _commit_edits(
    desk: PublishDesk, edits: Sequence[FileEdit], known: frozenset[str], message: str
) -> CommitOutcome:
    tree = work_tree_of(desk.root)
    if tree is None:
        return CommitOutcome("no repository", reason=f"{desk.root} is no git repository")
    prefix = os.path.relpath(os.path.realpath(desk.root), os.path.realpath(tree.top))
    tracked = [edit for edit in edits if edit.after is not None or edit.path in known]
    changed = changed_by(tracked, prefix)
    lock = FileLock(commit_lock(desk.where, tree.git_dir))
    protected = desk.settings.commit.protected
    return commit_files(tree.top, changed, message, lock, protected=protected)


def message_of(plan: PublishPlan, approved_by: str) -> str:
    """The message of the commit that publishes a draft."""
    verb = "merge" if "#" in plan.target else "publish"
    return _message(f"docs: {verb} {plan.title}", f"{plan.draft} -> {plan.target}", approved_by)


def _message(subject: str, body: str, approved_by: str) -> str:
    trailer = f"\n\nApproved-by: {approved_by}" if approved_by else ""
    return f"{subject}\n\n{body}{trailer}\n"


def _discard(desk: PublishDesk, draft: str) -> PublishOutcome:
    root = desk.root
    before = read_draft(root, draft)
    if toplevel(root) is None:
        message = (
            f"{root} is no git repository: what is discarded would be lost; delete it yourself"
        )
        raise WriteRefusedError(message)
    if draft in changes_of(root):
        message = (
            f"{draft} has changes that are not committed, which would be lost; commit it first, or "
            "delete it yourself"
        )
        raise WriteRefusedError(message)
    edit = FileEdit(draft, before, None)
    message = _message(f"docs: discard draft {draft.rpartition('/')[2]}", draft, desk.approved_by)
    with _noted(desk, [edit]):
        apply_edits(root, [edit])
        commit = _commit_edits(desk, [edit], frozenset({draft}), message)
        if commit.state == "not committed":
            take_back_edits(root, [edit])
    if commit.state == "not committed":
        reason = f"not committed, so nothing was changed: {commit.reason}"
        return PublishOutcome(draft, "", "refused", commit, reason)
    return PublishOutcome(draft, "", "discarded", commit, notes=tuple(_indexed(desk, [edit])))


def _indexed(desk: PublishDesk, edits: Sequence[FileEdit]) -> Iterator[str]:
    try:
        desk.index([edit.path for edit in edits])
    except (StoreError, StoreBusyError, StorageFullError) as error:
        yield f"not indexed yet: {error}; the next search does it"
