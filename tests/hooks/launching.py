"""Runs hooks as the host does: a process, its event on standard input, hardly any environment."""

import json
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.shared_material import PROJECT

LAUNCH = PROJECT / "hooks" / "launch"


@dataclass(frozen=True)
class HookRun:
    code: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """What the agent is told by JSON."""
        return json.loads(self.out)["hookSpecificOutput"]["additionalContext"] if self.out else ""


def point_to_this_python(home: Path) -> None:
    """Let the launcher find the interpreter of the tests as the plugin's environment."""
    pointer = Path(f"{home}/data/roots{PROJECT}/.environment")
    pointer.parent.mkdir(parents=True, exist_ok=True)
    pointer.write_text(f"{sys.executable}\nready\n")


def environment(home: Path, project: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PIT_MEMORY_DATA": str(home / "data"),
        "CLAUDE_PROJECT_DIR": str(project),
    }


def run_hook(event: str, payload: object, env: dict[str, str], folder: Path) -> HookRun:
    """Start `hooks/launch EVENT` in a folder."""
    sent = payload if isinstance(payload, str) else json.dumps(payload, separators=(",", ":"))
    command = ["sh", str(LAUNCH), event]
    done = subprocess.run(
        command, input=sent.encode(), env=env, cwd=folder, capture_output=True, check=False
    )
    return HookRun(done.returncode, done.stdout.decode(), done.stderr.decode())


def bash(command_line: str, folder: Path) -> dict[str, object]:
    """The event of a Bash call."""
    return {
        "session_id": "s",
        "cwd": str(folder),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command_line, "description": "runs it"},
    }


def edited(file: Path, folder: Path) -> dict[str, object]:
    """The event of an Edit call."""
    return {
        "session_id": "s",
        "cwd": str(folder),
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": str(file), "old_string": "a", "new_string": "b"},
        "tool_response": {"filePath": str(file)},
    }


def cpu_milliseconds(argv: list[str], payload: str, env: dict[str, str], folder: Path) -> float:
    """The least of several runs: what it costs where nothing else runs."""
    costs = []
    for _ in range(12):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            argv, input=payload.encode(), env=env, cwd=folder, capture_output=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        costs.append((user + system) * 1000)
    return min(costs)
