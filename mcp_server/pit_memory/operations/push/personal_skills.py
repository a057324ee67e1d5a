"""Plain `/remember`: a plugin's skills have its name before theirs, a person's own have not."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pit_memory.workspace.files import make_folder, write_new
from pit_memory.workspace.native_memory import client_folder

_OFFERED = ("remember", "wrapup")
_SKILL = "SKILL.md"


@dataclass(frozen=True, slots=True)
class PersonalSkill:
    """A skill of the plugin that the person may have under its plain name."""

    name: str
    shipped: Path
    personal: Path
    """Where it would lie; nothing is there."""


def missing_skills(environ: Mapping[str, str], plugin: Path | None) -> tuple[PersonalSkill, ...]:
    """Return the skills that a person could have and hasn't; none without a plugin.

    Args:
        environ: says where the client keeps the person's skills.
        plugin: the plugin's own folder.
    """
    if plugin is None:
        return ()
    client = client_folder(environ)
    offered = [
        PersonalSkill(name, plugin / "skills" / name / _SKILL, client / "skills" / name / _SKILL)
        for name in _OFFERED
    ]
    return tuple(
        skill for skill in offered if skill.shipped.is_file() and not skill.personal.parent.exists()
    )


def add_skill(skill: PersonalSkill) -> None:
    """Copy a skill to the person's own.

    Raises:
        FileExistsError: it was made meanwhile.
        StorageFullError: it can't be written.
    """
    make_folder(skill.personal.parent)
    write_new(skill.personal, skill.shipped.read_bytes())
