"""The front and the real server, started with standard streams that are closed."""

import json
import subprocess
import sys

import pytest

from tests.shared_material import PROJECT

MCP_SERVER = PROJECT / "mcp_server"
SERVER = f"""
import runpy, sys
sys.path.insert(0, {str(MCP_SERVER)!r})
runpy.run_module("pit_memory.server", run_name="__main__")
"""
PROGRAMS = {
    "front": [sys.executable, "-I", "-S", "-B", str(MCP_SERVER / "front.py"), "serve"],
    "server": [sys.executable, "-c", SERVER],
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def run(program: str, redirected: str, folder, given: bytes = b""):
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", *PROGRAMS[program]]
    return subprocess.run(
        command, input=given, capture_output=True, cwd=folder, timeout=60, check=False
    )


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("redirected", "named"),
    [
        ("<&-", "stdin is closed"),
        (">&-", "stdout is closed"),
        ("<&- >&-", "stdin and stdout are closed"),
    ],
)
def test_a_closed_stream_of_the_client_is_named_on_one_line(program, redirected, named, tmp_path):
    ended = run(program, redirected, tmp_path)
    assert (ended.returncode, ended.stdout) == (2, b"")
    (line,) = ended.stderr.decode().splitlines()
    assert line.startswith(f"pit-memory: {named}, ")


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_stderr_a_client_is_served_and_told_nothing_else(program, tmp_path):
    ended = run(program, "2>&-", tmp_path, json.dumps(HELLO).encode() + b"\n")
    assert ended.returncode == 0
    (line,) = ended.stdout.splitlines()
    assert json.loads(line)["result"]["serverInfo"]["name"] == "pit-memory"


def test_no_stream_is_missed_where_all_are_closed(tmp_path):
    assert run("front", "<&- >&- 2>&-", tmp_path).returncode == 2
