"""The package registry that tests of a real installation need."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.plugin.tiny_plugin import BASE_PYTHON


def skip_without_registry(folder: Path) -> None:
    """Skip the test, with the reason, where no package can be downloaded; CI must have one."""
    asked = subprocess.run(
        [BASE_PYTHON, "-I", "-m", "pip", "download", "--no-deps", "--quiet", "--retries", "1",
        "--dest", folder, "click==8.5.1"],
        check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    if asked.returncode != 0:
        assert "CI" not in os.environ, asked.stderr
        pytest.skip(f"no package registry can be reached: {asked.stderr.strip().splitlines()[-1]}")
