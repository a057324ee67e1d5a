"""Claude Code's own memory of a project: where it lies on this machine."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from pit_memory.workspace.files import read_bytes

_MOST_SETTINGS_BYTES = 1_000_000
_TRUE = frozenset({"1", "true", "yes", "on"})
_NOT_IN_A_SLUG = re.compile(r"[^a-zA-Z0-9]")


def native_memory(environ: Mapping[str, str], root: Path, transcript: str = "") -> Path | None:
    """Find the folder in which the client keeps its notes; None where it keeps none.

    The client's variable, then its settings, then the folder beside the session's transcript, then
    where it puts a project's transcripts by default. A project's own settings may only name a
    folder inside the project: they come with a clone.

    Args:
        environ: variables of the client.
        root: the project, symlinks resolved.
        transcript: path of a session's transcript, as hooks are told; empty where none is known.
    """
    if environ.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower() in _TRUE:
        return None
    if (named := environ.get("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "")).startswith("/"):
        return Path(named)
    home = Path(environ.get("HOME", "/"))
    config = client_folder(environ)
    own = _settings(f"{config}/settings.json")
    of_project = [
        _settings(f"{root}/.claude/{name}") for name in ("settings.local.json", "settings.json")
    ]
    if any(settings.get("autoMemoryEnabled") is False for settings in (own, *of_project)):
        return None
    for settings in of_project:
        folder = _folder(settings, home)
        if folder and Path(os.path.realpath(folder)).is_relative_to(root):
            return folder
    if folder := _folder(own, home):
        return folder
    if transcript.startswith("/"):
        return Path(transcript).parent / "memory"
    return Path(f"{config}/projects/{_NOT_IN_A_SLUG.sub('-', str(root))}/memory")


def client_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder where the client keeps the person's settings and skills."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or Path(environ.get("HOME", "/"), ".claude"))


def _settings(path: str) -> dict[str, object]:
    """What a settings file of the client says; nothing where it can't be read."""
    try:
        read = json.loads(read_bytes(path, _MOST_SETTINGS_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _folder(settings: dict[str, object], home: Path) -> Path | None:
    named = settings.get("autoMemoryDirectory")
    if not isinstance(named, str):
        return None
    if named.startswith("~/"):
        return home / named[2:]
    return Path(named) if named.startswith("/") else None
