"""What the host tells a hook on standard input, and what a hook answers."""

import json

from pit_memory.core.records import NamedTuple


class ToolEvent(NamedTuple):
    """One event of the host; a field it did not send is empty."""

    name: str
    """`PreToolUse`, `PostToolUse`, `SessionStart`, ..."""
    directory: str
    """Working directory of the session, absolute."""
    tool: str
    """`Bash`, `Edit`, `Write`, ...; empty where the event is about no tool."""
    command: str
    """Command line of a Bash call."""
    file: str
    """File of an Edit or Write call, absolute."""
    texts: tuple[str, ...]
    """Every text the call is given: command, path, content, ..."""
    session: str
    """The host's id of the session; a subagent's own calls have its id behind it."""
    transcript: str
    """File of the session's transcript, absolute."""


def parse_event(payload: str) -> ToolEvent | None:
    """Read the host's JSON; None where it is none, so that a hook can let the event pass."""
    try:
        sent = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if not isinstance(sent, dict):
        return None
    given = sent.get("tool_input")
    tool_input = given if isinstance(given, dict) else {}
    return ToolEvent(
        name=_text(sent, "hook_event_name"),
        directory=_text(sent, "cwd"),
        tool=_text(sent, "tool_name"),
        command=_text(tool_input, "command"),
        file=_text(tool_input, "file_path") or _text(tool_input, "notebook_path"),
        texts=tuple(_texts(tool_input)),
        session=_text(sent, "session_id") + _text(sent, "agent_id"),
        transcript=_text(sent, "transcript_path"),
    )


def context_answer(event_name: str, text: str) -> str:
    """What a hook prints to tell the agent something."""
    output = {"hookEventName": event_name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output})


def _text(values: dict[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    """All texts inside a value, in order."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)
    return found
