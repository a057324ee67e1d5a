"""PreToolUse: the commit gate, and the gotchas of a call. One process for both.

Exit 2 blocks the call and shows stderr to the agent; only the gate does that. Whatever keeps
something from being checked lets the call pass and is said.
"""

import sys

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from pit_memory.core.host.tool_events import ToolEvent, context_answer, parse_event

BLOCKED = 2


def main(parts: list[str]) -> int:
    """Do what the launcher found to be done: `gate`, `gotchas`."""
    event = parse_event(sys.stdin.buffer.read().decode("utf-8", "replace"))
    if event is None:
        return 0
    said = []
    if "gate" in parts:
        try:
            if blocked := blocked_by_gate(event):
                print(blocked, file=sys.stderr)
                return BLOCKED
        except Exception as error:
            said.append(f"pit-memory: section index not checked: {error}")
    if "gotchas" in parts:
        try:
            said.append(told_before(event))
        except Exception as error:
            said.append(f"pit-memory: gotchas not checked: {error}")
    if text := "\n".join(filter(None, said)):
        print(context_answer("PreToolUse", text))
    return 0


def blocked_by_gate(event: ToolEvent) -> str:
    """Ask the commit gate."""
    from commit_gate import explain_block

    return explain_block(event)


def told_before(event: ToolEvent) -> str:
    """Ask for the gotchas."""
    from gotchas import gotchas
    from project import asked_project

    return gotchas(event, asked_project())


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:]))
