"""The real locks install, with uv and with pip, and what they give runs (needs a registry)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import launch
from pit_memory.workspace.installation import installation
from tests.plugin.registry import skip_without_registry
from tests.plugin.tiny_plugin import BASE_PYTHON, SYSTEM_TOOLS, find_uv
from tests.shared_material import PROJECT

pytestmark = [pytest.mark.registry, pytest.mark.timeout(600)]

MEGABYTE = 1_000_000
LARGEST_ENVIRONMENT = 450 * MEGABYTE
LARGEST_BASE = 20 * MEGABYTE
"""What the gates need in CI stays small."""


def run(*command, **keywords):
    return subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, **keywords
    )


def size(folder):
    return sum(path.lstat().st_size for path in folder.rglob("*"))


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_a_fresh_copy_sets_itself_up_and_runs(tmp_path, installer):
    skip_without_registry(tmp_path / "download")
    root = tmp_path / "plug in"
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("bin", "mcp_server"):
        shutil.copytree(PROJECT / folder, root / folder, ignore=ignored)
    for lock in ("requirements.lock", "requirements-model.lock", "requirements-team.lock"):
        shutil.copy2(PROJECT / lock, root / lock)
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in SYSTEM_TOOLS:
        (tools / tool).symlink_to(shutil.which(tool))
    (tools / "python3").symlink_to(BASE_PYTHON)
    if installer == "uv":
        if (uv := find_uv()) is None:
            pytest.skip("uv is not installed")
        (tools / "uv").symlink_to(uv)
    environ = {**os.environ, "PATH": str(tools)}

    ran = run(root / "bin/pit-memory", "setup", env=environ, cwd=tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert "model        installed" in ran.stdout
    python = launch.environment_python(root, environ)
    assert python is not None
    found = installation(python.parents[1])
    assert found is not None
    assert found.model_failure == ""
    assert size(python.parents[2]) < LARGEST_ENVIRONMENT
    code = "import fastmcp, numpy, onnxruntime, pyromark, tantivy, tokenizers, tomlkit, yaml"
    assert run(python, "-I", "-c", code).returncode == 0
    assert run(python, "-I", "-c", "import qdrant_client").returncode == 1, "nobody asked for it"

    ran = run(root / "bin/pit-memory", "setup", "--team", env=environ, cwd=tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[1:] == ["model        installed", "team         installed"]
    assert size(python.parents[2]) < LARGEST_ENVIRONMENT


def test_what_the_gates_need_is_small(tmp_path):
    """`pip install pit-memory` in CI, without search, model and server."""
    skip_without_registry(tmp_path / "download")
    if (uv := find_uv()) is None:
        pytest.skip("uv is not installed")
    target = tmp_path / "base"
    ran = run(
        uv, "pip", "install", "--no-python-downloads", "--python", sys.executable,
        "--target", target, "--constraint", PROJECT / "requirements.lock",
        "--requirement", Path("pyproject.toml"), cwd=PROJECT,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert size(target) < LARGEST_BASE
    gate = f"import sys; sys.path[:0] = {[str(PROJECT / 'mcp_server'), str(target)]!r}; "
    gate += "from pit_memory.cli import main; sys.exit(main(['sections', 'check', '--help']))"
    ran = run(sys.executable, "-I", "-S", "-B", "-c", gate, cwd=tmp_path)
    assert (ran.returncode, "fresh" in ran.stdout) == (0, True), ran.stderr
