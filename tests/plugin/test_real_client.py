"""The plugin in the real Claude Code, against a scripted stand-in for the model's API on loopback.

Needs the client (`CLAUDE_BIN`) and the harness in `../shared/host`. Run with `-s` to see what the
model saw.
"""

import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.plugin.git_over_http import served
from tests.plugin.prepared import prepare_environment
from tests.plugin.real_client import NEEDS_CLIENT, WAIT_FOR_SERVERS, answers
from tests.plugin.registry import skip_without_registry
from tests.shared_material import PROJECT

pytestmark = NEEDS_CLIENT

SEARCH = {"tool": "*__docs_search", "input": {"query": "how is the signing key rotated"}}
REGISTRY = ("PIP_", "UV_", "SSL_CERT_")
"""Variables that say where packages come from."""
INSTALLED_TOOLS = "Bash,mcp__plugin_pit-memory_kb"


def install_from_git(lab, tmp_path):
    """Install the plugin from a git marketplace; returns the folder it runs from."""
    bare = tmp_path / "served/pit-memory.git"
    subprocess.run(["git", "clone", "-q", "--bare", PROJECT, bare], check=True)
    with served(bare.parent) as address:
        added = lab.cli("plugin", "marketplace", "add", f"{address}/pit-memory.git")
        assert added.returncode == 0, added.stdout + added.stderr
        installed = lab.cli("plugin", "install", "pit-memory@pit-memory")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    (plugin,) = json.loads(lab.cli("plugin", "list", "--json").stdout)
    assert (plugin["id"], plugin["enabled"]) == ("pit-memory@pit-memory", True)
    folder = lab.config / "plugins/cache/pit-memory/pit-memory" / plugin["version"]
    assert plugin["installPath"] == str(folder)
    return folder


@pytest.mark.parametrize("target", [".claude-plugin/plugin.json", ""])
def test_the_client_validates_the_plugin_and_reads_our_manifest(lab, target):
    checked = lab.cli("plugin", "validate", PROJECT / target, "--strict")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    manifest = target or ".claude-plugin/marketplace.json"
    assert f"manifest: {PROJECT}/{manifest}" in checked.stdout


def test_the_search_is_offered_at_once_and_its_answer_is_readable_cited_text(lab, data):
    prepare_environment(data, PROJECT)
    session = lab.run(
        "how do we rotate the signing key?",
        plugins=[PROJECT],
        script=[SEARCH, {"text": "done"}],
        env={**WAIT_FOR_SERVERS, "PIT_MEMORY_DATA": data},
    )
    assert "mcp__plugin_pit-memory_kb__docs_search" in session.tools()
    assert "mcp__plugin_pit-memory_kb__docs_read" in session.deferred()
    assert "pit-memory:docs-search" in session.skills()
    (text,) = answers(session)
    assert "docs/keys.md#rotation@" in text
    assert "Rotate the signing key with" in text
    assert "\\n" not in text


def test_a_plugin_from_a_git_marketplace_survives_its_own_removal(lab, data, tmp_path):
    folder = install_from_git(lab, tmp_path)
    prepare_environment(data, folder)
    (lab.project / "remove.sh").write_text(f"rm -rf {folder}\n")
    session = lab.run(
        "how do we rotate the signing key?",
        script=[
            SEARCH,
            {"tool": "Bash", "input": {"command": "sh remove.sh"}},
            SEARCH,
            {"text": "done"},
        ],
        env={**WAIT_FOR_SERVERS, "PIT_MEMORY_DATA": data},
        allow=INSTALLED_TOOLS,
    )
    before, after = answers(session)
    assert not folder.exists()
    assert "docs/keys.md#rotation@" in before
    assert "docs/keys.md#rotation@" in after


@pytest.mark.registry
@pytest.mark.timeout(600)
def test_from_the_installation_to_a_cited_answer_in_one_session(lab, tmp_path):
    skip_without_registry(tmp_path / "download")
    install_from_git(lab, tmp_path)
    registry = {name: value for name, value in os.environ.items() if name.startswith(REGISTRY)}
    begin = time.time()
    session = lab.run(
        "how do we rotate the signing key?",
        script=[SEARCH, *[{**SEARCH, "delay": 15}] * 12, {"text": "done"}],
        env={**WAIT_FOR_SERVERS, **registry},
        allow=INSTALLED_TOOLS,
        log=tmp_path / "requests.jsonl",
        timeout=580,
    )
    requests = map(json.loads, (tmp_path / "requests.jsonl").read_text().splitlines())
    times = [request["t"] - begin for request in requests if request["kind"] == "main"][1:]
    told = [answer for answer in session.results() if answer["tool"].endswith("__docs_search")]
    for answer, seconds in zip(told, times, strict=True):
        print(f"{seconds:.0f} s:", answer["text"])  # noqa: T201 - what the model saw
        assert ("Use grep meanwhile" in answer["text"]) == answer["error"]
    assert "docs/keys.md#rotation@" in told[-1]["text"]


def test_eight_sessions_at_once_on_one_repository_are_all_answered(lab, data):
    prepare_environment(data, PROJECT)

    def session(_):
        return lab.run(
            "how do we rotate the signing key?",
            plugins=[PROJECT],
            script=[SEARCH, SEARCH, {"text": "done"}],
            env={**WAIT_FOR_SERVERS, "PIT_MEMORY_DATA": data},
        )

    with ThreadPoolExecutor(8) as pool:
        texts = [text for result in pool.map(session, range(8)) for text in answers(result)]
    assert len(texts) == 16
    assert all("docs/keys.md#rotation@" in text for text in texts)
