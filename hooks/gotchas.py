"""Gotchas at the moment they matter: as context of the very call they are about."""

from project import Project

from pit_memory.core.host.tool_events import ToolEvent
from pit_memory.core.push.triggers import Trigger, matching
from pit_memory.workspace.cpu_limit import CpuLimit, OutOfTimeError
from pit_memory.workspace.session_marks import mark_once

MATCHING_SECONDS = 0.02
"""Computing time that all patterns of a call share."""
OUT_OF_TIME = (
    "pit-memory: the pattern of a gotcha takes too long, so others may be missing here; "
    "`pit-memory memory lint` looks for it."
)


def gotchas(event: ToolEvent, project: Project) -> str:
    """Return what the agent should know before a call; empty where there is nothing new to it."""
    triggers = project.push_memory().triggers
    found: list[Trigger] = []
    said: list[str] = []
    try:
        with CpuLimit(MATCHING_SECONDS):
            for trigger in matching(triggers, event.tool, event.texts):
                found.append(trigger)  # noqa: PERF402 - what is found before the time is up counts
    except OutOfTimeError:
        if mark_once(project.where, event.session, "out of time"):
            said.append(OUT_OF_TIME)
    said += [
        trigger.text
        for trigger in found
        if trigger.repeat or mark_once(project.where, event.session, trigger.slug)
    ]
    return "\n".join(said)
