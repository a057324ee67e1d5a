"""Whether facts have an assignment here, as the real server will find: else it has no such tools.

Loaded for the first list of tools. Without a variable and without the word in a settings file,
nothing more is: most projects have neither.
"""

import os

VARIABLE = "PIT_MEMORY_ASSIGNMENT"
_KEY = b"assignment"


def is_resolved(arguments: "list[str]", folder: str = "") -> bool:
    """Tell whether the real server will find an assignment.

    Args:
        arguments: of the real server, which may name the project.
        folder: where it will run; empty for the current one.
    """
    from pathlib import Path

    from pit_memory.errors import PitMemoryError
    from pit_memory.workspace.git import toplevel
    from pit_memory.workspace.places import person_settings, places, project_settings

    here = Path(_root_of(arguments) or folder or os.curdir).absolute()
    root = here.resolve() if _root_of(arguments) else toplevel(here) or here
    try:
        where = places(os.environ)
        files = (person_settings(where), project_settings(root))
        if not os.environ.get(VARIABLE) and not any(map(_names_it, files)):
            return False
        from pit_memory.workspace.settings_files import load

        name = load(root, where, os.environ).settings.assignment
    except (PitMemoryError, OSError):
        return False  # the first call says what is wrong
    return bool(name) and (name != "auto" or toplevel(root) is not None)


def _root_of(arguments: "list[str]") -> str:
    for number, argument in enumerate(arguments):
        if argument == "--root":
            return "".join(arguments[number + 1 : number + 2])
        if argument.startswith("--root="):
            return argument.partition("=")[2]
    return ""


def _names_it(file: "os.PathLike[str]") -> bool:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - as the other modules of the front
            return _KEY in opened.read(1_000_000)
    except OSError:
        return False
