"""The libraries of the interpreter that runs a hook, which starts without them (`-I -S`)."""

import sys
from pathlib import Path

from pit_memory.workspace.installation import installation


def add_libraries() -> Path:
    """Put the libraries of this process's environment on the import path; returns their folder.

    Without `site`, Python knows only where its base installation is; the environment is where the
    interpreter was called from.
    """
    environment = Path(sys.executable).parents[1]
    built = installation(environment)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder = built.libraries if built else environment / "lib" / version / "site-packages"
    sys.path.append(str(folder))
    return folder
