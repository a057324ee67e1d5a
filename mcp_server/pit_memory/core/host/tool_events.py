"""What the host tells a hook on standard input, and what a hook answers."""

from pit_memory.core.records import NamedTuple

_WHITE_SPACE = " \t\n\r"
"""Around a JSON text."""


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
        sent = _from_json(payload)
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
    import json

    output = {"hookEventName": event_name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output})


def _from_json(text: str) -> object:
    """Read JSON as `json.loads` does, by its scanner alone where that can be had.

    The module itself imports `re`, which costs as much as all the rest of a hook that has nothing
    to do. Raises ValueError and RecursionError.
    """
    try:
        from _json import make_scanner

        scan = make_scanner(_ScannerSettings())  # type: ignore[arg-type] # its attributes count
    except (ImportError, AttributeError, TypeError):
        import json

        return json.loads(text)
    text = text.strip(_WHITE_SPACE)
    try:
        value, end = scan(text, 0)
    except StopIteration:
        end = -1
        value = None
    if end != len(text):
        message = "not one JSON value"
        raise ValueError(message)
    return value


class _ScannerSettings:
    """How the scanner makes values, as `json.JSONDecoder` has it by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner keeps one of its own


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
