"""SubagentStart: print the rules a subagent starts with; it gets nothing of its session's start."""

import sys

sys.path[:0] = [__file__.rsplit("/", 2)[0] + "/mcp_server", __file__.rsplit("/", 1)[0]]

from project import asked_project

from pit_memory.core.host.tool_events import context_answer


def main() -> None:
    """Print the block."""
    if text := asked_project().push_memory().subagent.rstrip("\n"):
        print(context_answer("SubagentStart", text))


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        print(context_answer("SubagentStart", f"pit-memory: rules are not shown: {error}"))
