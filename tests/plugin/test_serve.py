"""`bin/pit-memory serve` as clients start it: sh, front and real server, on a ready environment."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builders import write_files
from tests.plugin.prepared import prepare_environment
from tests.shared_material import PROJECT

pytestmark = pytest.mark.timeout(90)
DOCS = {"docs/keys.md": "# Keys\n\n## Rotation\n\nRotate the signing key with `keyctl rotate`.\n"}
LOCKS = ("requirements.lock", "requirements-model.lock", "requirements-team.lock")
PLUGIN_PARTS = ("bin", "mcp_server", *LOCKS)


class Client:
    """A client of the plugin in a folder, about a project."""

    def __init__(self, plugin: Path, project: Path, *arguments: str):
        self.process = subprocess.Popen(
            [plugin / "bin/pit-memory", "serve", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=project,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def ask(self, method, params=None):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        self.stdin.write(json.dumps(message).encode() + b"\n")
        self.stdin.flush()
        return json.loads(self.stdout.readline())["result"]

    def search(self, query):
        answer = self.ask("tools/call", {"name": "docs_search", "arguments": {"query": query}})
        return answer["content"][0]["text"]

    def leave(self):
        self.stdin.close()
        assert self.process.wait(30) == 0
        self.stdout.close()


@pytest.fixture
def data(monkeypatch, tmp_path):
    folder = tmp_path / "data"
    monkeypatch.setenv("PIT_MEMORY_DATA", str(folder))
    return folder


@pytest.fixture
def project(tmp_path):
    return write_files(tmp_path / "a project", DOCS)


def copy_plugin(target, version):
    """A plugin folder of another version."""
    for part in PLUGIN_PARTS:
        source = PROJECT / part
        if source.is_dir():
            shutil.copytree(
                source,
                target / part,
                ignore=shutil.ignore_patterns("__pycache__", ".*_cache"),
                dirs_exist_ok=True,
            )
        else:
            shutil.copy2(source, target / part)
    tools = target / "mcp_server/tools.json"
    texts = json.loads(tools.read_text())
    texts["serverInfo"]["version"] = version
    tools.write_text(json.dumps(texts))
    return target


def test_a_session_from_sh_to_the_cited_answer(data, project):
    prepare_environment(data, PROJECT)
    client = Client(PROJECT, project)
    assert client.ask("initialize")["serverInfo"]["name"] == "pit-memory"
    assert "docs/keys.md#rotation@" in client.search("how is the signing key rotated")
    client.leave()


def test_the_project_can_be_named(data, project, tmp_path):
    prepare_environment(data, PROJECT)
    client = Client(PROJECT, tmp_path, "--root", str(project))
    assert "docs/keys.md#rotation@" in client.search("how is the signing key rotated")
    client.leave()


def test_two_versions_of_the_plugin_serve_one_project_at_once(data, project, tmp_path):
    old, new = (
        copy_plugin(tmp_path / f"a plugin {version}", version) for version in ("0.0.8", "0.0.9")
    )
    clients = []
    for plugin in (old, new):
        prepare_environment(data, plugin)
        clients.append(Client(plugin, project))
    versions = [client.ask("initialize")["serverInfo"]["version"] for client in clients]
    (project / "docs/new.md").write_text("# Widgets\n\nThe zanzibar widget.\n")
    found = [client.search("zanzibar widget") for client in clients]
    for client in clients:
        client.leave()
    assert versions == ["0.0.8", "0.0.9"]
    assert all("docs/new.md#widgets@" in text for text in found)
    assert not list(Path(os.fspath(old)).rglob("*.pyc"))  # Nothing is written beside the sources.
