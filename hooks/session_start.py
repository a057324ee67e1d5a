"""SessionStart: print the rules, gotchas and domain map a session starts with.

The same bytes whatever the source, while nothing changed: the host keeps one copy. On the way it
leaves the triggers for the hooks of the session's calls.
"""

import sys

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from project import Project, asked_project

from pit_memory.core.host.tool_events import ToolEvent, context_answer, parse_event
from pit_memory.workspace.native_memory import native_memory
from pit_memory.workspace.session_marks import forget_old_sessions, forget_session


def main() -> None:
    """Print the block, then forget what this session was told at its calls.

    After clearing and compacting its context holds nothing of that; nor does the client show it
    again to a session that is resumed.
    """
    event = parse_event(sys.stdin.buffer.read().decode("utf-8", "replace"))
    project = asked_project()
    print_block(event, project)
    if event:
        forget_session(project.where, event.session)
    forget_old_sessions(project.where)


def print_block(event: ToolEvent | None, project: Project) -> None:
    """Print what there is to say."""
    transcript = event.transcript if event else ""
    native = str(native_memory(project.environ, project.root, transcript) or "")
    if text := project.push_memory(native).session.rstrip("\n"):
        print(context_answer("SessionStart", text), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        text = f"pit-memory: rules and gotchas are not shown: {error}"
        print(context_answer("SessionStart", text))
