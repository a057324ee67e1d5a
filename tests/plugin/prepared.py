"""An environment for a plugin folder without an installation: this checkout and its libraries."""

import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from launcher.notes import POINTER_NAME, READY, root_folder
from pit_memory.workspace.places import Places
from tests.shared_material import PROJECT


def prepare_environment(data: Path, root: Path) -> Path:
    """Note for a plugin folder an environment that fits it; returns its interpreter.

    Args:
        data: the data folder of pit-memory.
        root: the plugin folder, links followed.
    """
    environment = data / "envs" / "prepared"
    if not environment.is_dir():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        packages = environment / f"lib/python{sysconfig.get_python_version()}/site-packages"
        found = [sysconfig.get_path("purelib"), str(PROJECT / "mcp_server")]
        (packages / "prepared.pth").write_text("\n".join(found) + "\n")
    python = environment / "bin/python"
    pointer = root_folder(Places(data, data), root) / POINTER_NAME
    pointer.parent.mkdir(parents=True, exist_ok=True)
    pointer.write_text(f"{python}\n{READY}\n")
    compared = time.time() + 3600  # Nothing that changes now counts as news.
    os.utime(pointer, (compared, compared))
    return python
