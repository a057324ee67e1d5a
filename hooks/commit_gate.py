"""The commit gate: block a commit that would leave a section index stale."""

import os

from pit_memory.core.host.commit_command import Commit, find_commits
from pit_memory.core.host.tool_events import ToolEvent


def explain_block(event: ToolEvent) -> str:
    """Say why a call must not pass; empty where it may, as nearly every one."""
    if not event.command:
        return ""
    directory = event.directory or os.getcwd()  # noqa: PTH109 - pathlib costs more than the check
    commits = find_commits(event.command, directory, os.environ, alias)
    return judge(commits, directory) if commits else ""


def alias(name: str, directory: str) -> str | None:
    """Ask git what an alias stands for."""
    from pathlib import Path

    from pit_memory.errors import GitError
    from pit_memory.workspace.git_command import run_git

    try:
        answer = run_git(Path(directory), ["config", "--get", f"alias.{name}"], {})
    except (GitError, OSError):
        return None
    return answer.decode("utf-8", "replace").rstrip("\n")


def judge(commits: tuple[Commit, ...], directory: str) -> str:
    """Check the tree of each commit; the first stale one blocks."""
    from pathlib import Path

    from markdown_parser import ensure_parser

    ensure_parser()
    from pit_memory.workspace.commit_gate import explain, judge_commit
    from pit_memory.workspace.corpus_rules import project_rules
    from pit_memory.workspace.known_entries import known_entries
    from pit_memory.workspace.project import places_of

    with known_entries(places_of(os.environ)) as known:
        for commit in commits:
            stale = judge_commit(commit, lambda top: project_rules(top, os.environ), known)
            if stale is not None:
                return explain(stale, Path(directory))
    return ""
