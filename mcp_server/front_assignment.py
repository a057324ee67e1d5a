"""Whether facts have an assignment here, as the real server will find: else it has no such tools.

Loaded for the first list of tools.
"""

import os


def is_resolved(arguments: "list[str]") -> bool:
    """Tell whether the real server, with these arguments, will find an assignment."""
    from pathlib import Path

    from pit_memory.core.facts.assignments import AUTO
    from pit_memory.errors import PitMemoryError
    from pit_memory.workspace.assignment_setting import assignment_setting
    from pit_memory.workspace.places import places
    from pit_memory.workspace.work_trees import toplevel

    named = _root_of(arguments)
    here = Path(named or os.curdir).absolute()
    root = here.resolve() if named else toplevel(here) or here
    try:
        name = assignment_setting(root, places(os.environ), os.environ)
    except (PitMemoryError, OSError, ValueError):
        return False  # the first call says what is wrong
    return bool(name) and (name != AUTO or toplevel(root) is not None)


def _root_of(arguments: "list[str]") -> str:
    for number, argument in enumerate(arguments):
        if argument == "--root":
            return "".join(arguments[number + 1 : number + 2])
        if argument.startswith("--root="):
            return argument.partition("=")[2]
    return ""
