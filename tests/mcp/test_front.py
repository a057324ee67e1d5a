"""The front alone: what it answers itself, and what passes through it."""

import json
import subprocess
import sys

import pytest

from tests.mcp.front_client import is_alive
from tests.patience import comes_true
from tests.shared_material import PROJECT

TOOLS_JSON = PROJECT / "mcp_server/tools.json"


def test_the_handshake_and_the_tool_list_need_no_real_server(start):
    session = start(built=False)
    answer = session.greet()
    session.request(1, "tools/list")
    tools = session.receive()["result"]["tools"]
    assert answer["protocolVersion"] == "2025-11-25"
    assert answer["serverInfo"]["name"] == "pit-memory"
    assert answer["capabilities"] == {"tools": {"listChanged": False}}
    known = json.loads(TOOLS_JSON.read_text())["tools"]
    assert tools == [tool for tool in known if not tool["name"].startswith("kb_memory_")]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("nonsense", "2025-11-25"),
        (17, "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_an_unknown_protocol_version_is_answered_with_the_newest_we_speak(start, asked, answered):
    assert start().greet(protocolVersion=asked)["protocolVersion"] == answered


def test_claude_code_gets_one_line_of_instructions_and_others_the_whole_text(start):
    claude = start().greet(clientInfo={"name": "claude-code", "version": "2"})["instructions"]
    other = start().greet()["instructions"]
    nobody = start().greet(clientInfo="me")["instructions"]
    assert "\n" not in claude
    assert "docs_read" in other
    assert len(other) <= 4000
    assert nobody == other


def test_a_probe_for_a_newer_handshake_is_refused_so_that_the_client_goes_on(start):
    session = start()
    session.request("probe", "server/discover")
    refused = session.receive()
    assert refused["id"] == "probe"
    assert refused["error"]["code"] == -32601
    assert session.greet()["serverInfo"]["name"] == "pit-memory"


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("ping", {}),
        ("resources/list", {"resources": []}),
        ("resources/templates/list", {"resourceTemplates": []}),
        ("prompts/list", {"prompts": []}),
    ],
)
def test_a_client_that_asks_for_more_than_tools_is_answered(start, method, answer):
    session = start()
    session.request(0, method)
    assert session.receive() == {"jsonrpc": "2.0", "id": 0, "result": answer}


def test_a_client_that_never_said_hello_is_answered_too(start):
    session = start()
    session.call(1, "hello")
    assert json.loads(session.text())["clientInfo"]["name"] == "unknown"


def test_lines_pass_through_unchanged_in_both_directions(start):
    session = start()
    odd = (
        b'{ "id":"\\u00e4 1",  "jsonrpc":"2.0","method":"tools/call",'
        b'"params":{"arguments":{"n":1e3,"t":"\xf0\x9f\x90\x9d"},"name":"echo"}}'
    )
    session.send(odd)
    answer = session.receive()
    assert answer["id"] == "ä 1"
    assert answer["result"]["content"][0]["text"].encode() == odd


def test_calls_that_come_while_the_server_starts_are_all_answered(start):
    session = start()
    for number in range(20):
        session.call(number, "pid")
    answers = [session.receive() for _ in range(20)]
    assert sorted(answer["id"] for answer in answers) == list(range(20))
    assert len({answer["result"]["content"][0]["text"] for answer in answers}) == 1


def test_the_ids_1_and_the_text_1_are_two_calls(start):
    session = start()
    session.call(1, "pid")
    session.call("1", "never")
    assert session.receive()["id"] == 1
    session.call(2, "crash")
    lost = {json.dumps(session.receive()["id"]) for _ in range(2)}
    assert lost == {'"1"', "2"}


def test_progress_and_the_servers_own_requests_reach_the_client(start):
    session = start()
    session.call(1, "progress", _meta={"progressToken": "t"})
    assert session.receive()["params"] == {"progressToken": "t", "progress": 1}
    assert session.text() == "done"
    session.call(2, "ask")
    assert session.receive() == {"jsonrpc": "2.0", "id": "from-server", "method": "ping"}
    session.send({"jsonrpc": "2.0", "id": "from-server", "result": {"here": True}})
    assert json.loads(session.text())["result"] == {"here": True}


def test_a_cancelled_call_reaches_the_server_and_is_not_waited_for(start):
    session = start(idle=0.3)
    session.call(1, "pid")
    pid = int(session.text())
    session.call(2, "never")
    session.notify("notifications/cancelled", {"requestId": 2, "reason": "too slow"})
    assert comes_true(lambda: "cancelled 2" in session.stderr())
    assert comes_true(lambda: not is_alive(pid))


def test_a_call_cancelled_before_the_server_runs_is_never_answered(start):
    session = start(built=False)
    session.call(1, "pid")
    session.notify("notifications/cancelled", {"requestId": 1})
    session.request(2, "ping")
    assert session.receive()["id"] == 2
    session.finish_build()
    session.call(3, "pid")
    assert session.receive()["id"] == 3


def test_a_client_that_starts_us_in_the_plugin_folder_is_asked_for_its_project(start, tmp_path):
    project = tmp_path / "a project with ä"
    project.mkdir()
    session = start(cwd=PROJECT)
    session.greet(capabilities={"roots": {"listChanged": True}})
    session.call(1, "folder")
    question = session.receive()
    assert question["method"] == "roots/list"
    roots = [{"uri": "https://example.org"}, {"uri": project.as_uri(), "name": "it"}]
    session.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}})
    assert session.text() == str(project)
    session.call(2, "folder")
    assert session.text() == str(project)


def test_a_project_that_is_gone_is_named_and_nobody_is_told_to_call_again(start, tmp_path):
    session = start(cwd=PROJECT)
    session.greet(capabilities={"roots": {}})
    session.call(1, "folder")
    roots = [{"uri": (tmp_path / "gone").as_uri()}]
    session.send({"jsonrpc": "2.0", "id": session.receive()["id"], "result": {"roots": roots}})
    said = session.text()
    assert said.startswith(f"the project's folder is gone: {tmp_path / 'gone'}; restore it")
    session.call(2, "folder")
    assert session.text() == said
    (tmp_path / "gone").mkdir()
    session.call(3, "folder")
    assert session.text() == str(tmp_path / "gone")


@pytest.mark.parametrize(
    "answer", [{"error": {"code": -32601, "message": "no"}}, {"result": {"roots": [7]}}]
)
def test_a_client_that_does_not_know_its_project_gets_the_folder_we_are_in(start, answer):
    session = start(cwd=PROJECT)
    session.greet(capabilities={"roots": {}})
    session.call(1, "folder")
    session.send({"jsonrpc": "2.0", "id": session.receive()["id"], **answer})
    assert session.text() == str(PROJECT)


def test_a_client_that_starts_us_in_its_project_is_not_asked(start):
    session = start()
    session.greet(capabilities={"roots": {}})
    session.call(1, "folder")
    assert session.text() == str(session.folder)


def test_a_stray_print_of_the_server_does_not_reach_the_client(start):
    session = start()
    session.call(1, "noise")
    assert session.text() == "after the noise"
    assert comes_true(lambda: "a stray print" in session.stderr())


def test_the_front_needs_the_standard_library_only_and_none_of_its_heavy_parts():
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import front; "
        "print(*sorted(name for name in sys.modules if '_' not in name[:1]))"
    )
    folder = str(TOOLS_JSON.parent)
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, folder],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    top = {name.partition(".")[0] for name in loaded}
    ours = {"launch", "launcher", "pit_memory"} | {name for name in top if name.startswith("front")}
    assert top - ours <= sys.stdlib_module_names
    assert not top & {"asyncio", "dataclasses", "hashlib", "http", "logging", "socket", "ssl"}
