"""A project with one gotcha, and what its hooks tell at a start of a session and before a call."""

from pathlib import Path

from tests.builders import make_repository
from tests.hooks.launching import bash, point_to_this_python, run_hook

SOURCES = ("startup", "resume", "fork", "clear", "compact")
GOTCHA = """\
---
name: force-push
description: main is protected
metadata:
  type: feedback
  kind: gotcha
  trigger_tool: Bash
  trigger_pattern: 'git\\s+push.*--force'
---

Ask the release manager first.
"""
TOLD = "- main is protected. Ask the release manager first."
FORCE = "git push --force"


def project_with_gotcha(folder: Path, home: Path) -> Path:
    """A repository with one gotcha, and an interpreter for its hooks."""
    point_to_this_python(home)
    return make_repository(folder / "project", {"memory/gotcha_force-push.md": GOTCHA})


def start(folder: Path, source: str = "startup", session: str = "s") -> dict[str, object]:
    return {
        "session_id": session,
        "transcript_path": f"{folder}/client/projects/-x/{session}.jsonl",
        "cwd": str(folder),
        "hook_event_name": "SessionStart",
        "source": source,
    }


def started(project: Path, env: dict[str, str], source: str = "startup", session: str = "s") -> str:
    run = run_hook("session_start", start(project, source, session), env, project)
    assert (run.code, run.err) == (0, "")
    return run.context


def told(project: Path, env: dict[str, str], command: str = FORCE, **more: str) -> str:
    run = run_hook("before_call", bash(command, project) | more, env, project)
    assert (run.code, run.err) == (0, "")
    return run.context
