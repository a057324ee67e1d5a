"""Edits in memory folders: compile what is shared, tell what stays private."""

from pathlib import Path

from project import Project

from pit_memory.core.host.tool_events import ToolEvent
from pit_memory.workspace.session_marks import mark_once

PRIVATE = (
    "pit-memory: this note is private to this machine; `memory_write` shares what the team needs."
)


def follow_memory_edit(event: ToolEvent, project: Project) -> str:
    """Compile what an edit changed; return what the agent should know, once a session."""
    native = project.push_memory().native
    if native and Path(event.file).is_relative_to(native):
        return PRIVATE if mark_once(project.where, event.session, "private note") else ""
    return ""
