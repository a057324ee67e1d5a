"""Publish by pull request: all approved drafts on one branch from the upstream default."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pit_memory.core.text.slugs import slug_of
from pit_memory.core.web.code_owners import PLACES, owners_of
from pit_memory.core.web.forges import compare_address, remote_of
from pit_memory.core.writing.draft_cards import PublishOutcome
from pit_memory.errors import WriteRefusedError
from pit_memory.operations.drafts.file_edits import apply_edits, changed_by
from pit_memory.operations.drafts.publish import (
    REFUSALS,
    Approved,
    PublishDesk,
    message_of,
    one_at_a_time,
    protected_branch,
    read_draft,
    request_of,
)
from pit_memory.operations.drafts.publish_plan import PublishPlan, plan_publish
from pit_memory.workspace.commits import commit_files
from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.git_published import Published, default_branch
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import commit_lock
from pit_memory.workspace.pull_requests import (
    Proposal,
    PullRequest,
    branch_beside,
    branch_of_same_files,
    delete_branch,
    fetch_branch,
    free_branch,
    push_and_propose,
    remove_left,
)
from pit_memory.workspace.work_trees import common_dir, toplevel

_MAX_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class ProposalReport:
    """What became of drafts that were proposed together."""

    outcomes: tuple[PublishOutcome, ...]
    branch: str = ""
    """Empty where nothing could be proposed."""
    is_pushed: bool = False
    address: str = ""
    """Of the pull request, else where one is opened; empty where neither is known."""
    reviewers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def propose(desk: PublishDesk, approved: Sequence[Approved]) -> ProposalReport:
    """Commit approved drafts to a new branch, push it, and open one pull request.

    The person's branch, index and files stay as they are: the branch is made in a work tree of its
    own. The drafts stay drafts here until it is merged.

    Raises:
        WriteRefusedError: there is no repository or no remote.
        GitError: git can't make the branch.
    """
    top = toplevel(desk.root)
    if top is None:
        message = f"{desk.root} is no git repository, so there is nowhere to propose to"
        raise WriteRefusedError(message)
    upstream = default_branch(top)
    if upstream is None:
        branch = protected_branch(desk)
        begun = f"begin another branch than {branch} with `git switch -c NAME` and " * bool(branch)
        message = (
            f"{top} has no remote whose default branch is known here; `git remote add` and "
            f"`git fetch` one, or {begun}publish with --via commit"
        )
        raise WriteRefusedError(message)
    notes = []
    if why := fetch_branch(top, upstream.remote, upstream.branch):
        notes.append(f"{upstream.remote} was not asked for news: {why}")
    upstream = default_branch(top) or upstream
    with one_at_a_time(desk):
        return _propose(desk, approved, top, upstream, notes)


def _propose(
    desk: PublishDesk,
    approved: Sequence[Approved],
    top: Path,
    upstream: Published,
    notes: Sequence[str],
) -> ProposalReport:
    remove_left(top)
    name = _branch_name(approved)
    branch = free_branch(top, name)
    reviewers: tuple[str, ...] = ()
    with branch_beside(top, upstream.commit, branch) as tree:
        done = [_on_branch(desk, top, tree, one) for one in approved]
        if proposed := [plan for plan, _ in done if plan]:
            reviewers = _reviewers(tree, proposed, desk.root.relative_to(top).as_posix())
    outcomes = tuple(outcome for _, outcome in done)
    earlier = branch_of_same_files(top, name, branch)
    if earlier or not proposed:
        delete_branch(top, branch)
    if not proposed:
        return ProposalReport(outcomes, notes=tuple(notes))
    branch = earlier or branch
    proposal = _push(desk, top, upstream, branch, proposed, reviewers)
    return _report(desk, upstream, branch, outcomes, proposal, reviewers, notes)


def _branch_name(approved: Sequence[Approved]) -> str:
    first = slug_of(Path(approved[0].name).stem) or "drafts"
    more = f"-and-{len(approved) - 1}-more" if len(approved) > 1 else ""
    return f"docs/publish-{first}{more}"


def _on_branch(
    desk: PublishDesk, top: Path, tree: Path, approved: Approved
) -> tuple[PublishPlan | None, PublishOutcome]:
    """Commit one draft in the branch's own work tree."""
    there = tree / desk.root.relative_to(top)
    try:
        request = request_of(desk, approved)
        data = read_draft(desk.root, request.draft)
        plan = plan_publish(replace(desk.source, root=str(there)), request, data, {})
        apply_edits(there, plan.edits)
    except REFUSALS as error:
        return None, PublishOutcome(approved.name, "", "refused", reason=str(error))
    prefix = there.relative_to(tree).as_posix()
    own = common_dir(top)
    lock = FileLock(commit_lock(desk.where, (own or top).resolve()).with_suffix(".proposing"))
    changed = changed_by(plan.edits, prefix)
    commit = commit_files(tree, changed, message_of(plan, desk.approved_by), lock)
    if commit.state != "committed":
        return None, PublishOutcome(plan.draft, plan.target, "refused", commit, commit.reason)
    outcome = PublishOutcome(
        plan.draft, plan.target, "proposed", commit, changed=plan.others, notes=plan.notes
    )
    return plan, outcome


def _reviewers(tree: Path, plans: Sequence[PublishPlan], prefix: str) -> tuple[str, ...]:
    paths = [edit.path for plan in plans for edit in plan.edits if edit.after is not None]
    in_tree = [path if prefix == "." else f"{prefix}/{path}" for path in paths]
    for place in PLACES:
        try:
            text = read_bytes(tree / place, _MAX_BYTES).decode(errors="replace")
        except OSError:
            continue
        return owners_of(text, in_tree)
    return ()


def _push(
    desk: PublishDesk,
    top: Path,
    upstream: Published,
    branch: str,
    plans: Sequence[PublishPlan],
    reviewers: Sequence[str],
) -> Proposal:
    title = f"docs: publish {plans[0].title}"
    if len(plans) > 1:
        title += f" and {len(plans) - 1} more"
    lines = [f"* {plan.title}: `{plan.draft}` -> `{plan.target}`" for plan in plans]
    by = [f"Approved-by: {desk.approved_by}"] if desk.approved_by else []
    body = "\n".join(["Drafts that were approved for publication:", "", *lines, "", *by])
    remote = remote_of(upstream.url, desk.settings.links.forge)
    forge = remote.forge if remote else desk.settings.links.forge
    request = PullRequest(
        remote=upstream.remote,
        branch=branch,
        base=upstream.branch,
        forge=forge,
        title=title,
        body=body,
        reviewers=reviewers,
    )
    return push_and_propose(top, request)


def _report(
    desk: PublishDesk,
    upstream: Published,
    branch: str,
    outcomes: tuple[PublishOutcome, ...],
    proposal: Proposal,
    reviewers: tuple[str, ...],
    notes: Sequence[str],
) -> ProposalReport:
    address, said = proposal.address, list(notes)
    remote = remote_of(upstream.url, desk.settings.links.forge)
    if not proposal.is_pushed:
        said.append(f"not pushed ({proposal.reason}): git push {upstream.remote} {branch}")
    elif not address:
        address = compare_address(remote, upstream.branch, branch) if remote else ""
        where = address or f"your forge, from {branch} into {upstream.branch}"
        said.append(f"no pull request yet ({proposal.reason}): open it at {where}")
        if reviewers:
            said.append(f"reviewers by CODEOWNERS: {', '.join(reviewers)}")
    elif proposal.reason:
        said.append(proposal.reason)
    return ProposalReport(outcomes, branch, proposal.is_pushed, address, reviewers, tuple(said))
