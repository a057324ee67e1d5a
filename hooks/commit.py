"""PreToolUse of Bash: block a commit that would leave a section index stale.

Exit 2 blocks the call and shows stderr to the agent. Whatever keeps the check from being made lets
the call pass and says so.
"""

import os
import sys

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from pit_memory.core.commit_command import Commit, find_commits
from pit_memory.core.tool_events import context_answer, parse_event

BLOCKED = 2


def main() -> int:
    """Find the commits of a command line; most have none."""
    event = parse_event(sys.stdin.buffer.read().decode("utf-8", "replace"))
    if event is None or not event.command:
        return 0
    directory = event.directory or os.getcwd()  # noqa: PTH109 - pathlib costs more than the check
    commits = find_commits(event.command, directory, os.environ, alias)
    return judge(commits, directory) if commits else 0


def alias(name: str, directory: str) -> str | None:
    """Ask git what an alias stands for."""
    from pathlib import Path

    from pit_memory.errors import GitError
    from pit_memory.workspace.git_index import run_git

    try:
        answer = run_git(Path(directory), ["config", "--get", f"alias.{name}"], {})
    except (GitError, OSError):
        return None
    return answer.decode("utf-8", "replace").rstrip("\n")


def judge(commits: tuple[Commit, ...], directory: str) -> int:
    """Check the tree of each commit; the first stale one blocks."""
    from pathlib import Path

    from markdown_parser import ensure_parser

    ensure_parser()
    from pit_memory.workspace.commit_gate import explain, judge_commit
    from pit_memory.workspace.corpus_rules import project_rules

    for commit in commits:
        stale = judge_commit(commit, lambda top: project_rules(top, os.environ))
        if stale is not None:
            print(explain(stale, Path(directory)), file=sys.stderr)
            return BLOCKED
    return 0


def run() -> int:
    """Let the call pass, aloud, whatever goes wrong."""
    try:
        return main()
    except Exception as error:
        text = f"pit-memory: section index not checked: {error}"
        print(context_answer("PreToolUse", text))
        return 0


if __name__ == "__main__":
    sys.exit(run())
