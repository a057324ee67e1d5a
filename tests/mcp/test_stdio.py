"""The real server as a process, spoken to in raw lines; and that it agrees with the front."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared_material import MCP_SERVER

TEXTS = json.loads((MCP_SERVER / "tools.json").read_text(encoding="utf-8"))


class Talk:
    """A conversation with a server process."""

    def __init__(self, command, project: Path):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=project,
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.stderr = self.process.stderr

    def send(self, message):
        self.stdin.write(json.dumps(message).encode() + b"\n")
        self.stdin.flush()

    def ask(self, method, params=None, request_id: object = 1):
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        return json.loads(self.stdout.readline())

    def greet(self, version="2025-11-25"):
        hello = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        answer = self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def search(self, query):
        arguments = {"name": "docs_search", "arguments": {"query": query}}
        return self.ask("tools/call", arguments)["result"]

    def leave(self):
        """Close our end; returns what else it said."""
        self.stdin.close()
        rest = self.stdout.read()
        assert self.process.wait(10) == 0
        return rest


PROGRAM = f"""
import atexit, runpy, sys
def loaded(): print(*sys.modules, file=sys.stderr)
sys.path.insert(0, {str(MCP_SERVER)!r})
runpy.run_module("pit_memory.server", run_name="__main__")
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate the signing key.\n")
    (tmp_path / ".env").write_text("FASTMCP_LOG_LEVEL=nonsense\nFASTMCP_LOG_ENABLED=true\n")
    return tmp_path


@pytest.fixture
def talk(project):
    talks: list[Talk] = []

    def begin(program=PROGRAM):
        talks.append(Talk([sys.executable, "-I", "-c", program], project))
        return talks[-1]

    yield begin
    for talk in talks:
        talk.process.kill()
        talk.process.wait()
        for pipe in (talk.stdin, talk.stdout, talk.stderr):
            pipe.close()


def test_the_server_agrees_with_what_the_front_says_before_it_runs(talk):
    server = talk()
    hello = server.greet()
    assert hello["serverInfo"] == TEXTS["serverInfo"]
    assert hello["instructions"] == TEXTS["instructions"]["other"]
    without_facts = [it for it in TEXTS["tools"] if not it["name"].startswith("kb_memory_")]
    assert server.ask("tools/list")["result"]["tools"] == without_facts
    server.leave()


def test_the_tools_of_facts_are_there_where_an_assignment_is(talk, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_ASSIGNMENT", "acme")
    server = talk()
    server.greet()
    assert server.ask("tools/list")["result"]["tools"] == TEXTS["tools"]
    server.leave()


def test_a_folder_that_is_removed_before_the_first_call_is_named_in_every_answer(talk, project):
    server = talk()
    server.greet()
    shutil.rmtree(project)
    for _ in range(2):
        answer = server.search("signing key")
        assert answer["isError"]
        assert "the current folder has been removed" in answer["content"][0]["text"]
    project.mkdir()
    server.leave()


@pytest.mark.parametrize("version", ["2024-11-05", "2026-07-28"])
def test_the_server_agrees_with_the_front_on_the_protocol_version(talk, version):
    agreed = version if version in TEXTS["protocolVersions"] else TEXTS["protocolVersions"][-1]
    assert talk().greet(version)["protocolVersion"] == agreed


def test_a_search_answers_and_nothing_else_is_ever_on_stdout(talk):
    server = talk()
    server.greet()
    answer = server.search("how is the signing key rotated")
    assert "keys.md#rotation@" in answer["content"][0]["text"]
    assert answer["isError"] is False
    assert server.leave() == b""


@pytest.mark.parametrize(
    "params",
    [
        {"name": "docs_search", "arguments": {"query": "how is the signing key rotated"}},
        {"name": "docs_search", "arguments": {"query": "", "limit": 99, "depth": 1}},
        {"name": "docs_search", "arguments": {"query": "keys"}, "_meta": {"progressToken": 1}},
        {"name": "docs_search", "arguments": {"query": "keys"}, "_meta": {"progressToken": {}}},
        {"name": "docs_search", "arguments": {"query": "keys"}, "_meta": 5},
        {"name": "docs_search"},
        {"name": "docs_search", "arguments": None},
        {"name": "docs_search", "arguments": ["keys"]},
        {"name": "docs_read", "arguments": {"ref": "nowhere.md"}},
        {"name": "docs_find", "arguments": {}},
        {"name": ["docs_search"], "arguments": {}},
        {},
    ],
)
def test_a_call_has_one_answer_whichever_way_it_takes(talk, monkeypatch, params):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")  # or how far it is might change
    server = talk()
    hello = {"name": "test", "version": "1"}
    said = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": hello}
    server.ask("initialize", said)
    by_all_layers = server.ask("tools/call", params)
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert server.ask("tools/call", params) == by_all_layers
    server.leave()


def call(number: int, query: str) -> bytes:
    params = {"name": "docs_search", "arguments": {"query": query}}
    asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(asked).encode() + b"\n"


def test_calls_that_come_at_once_are_all_answered_and_a_cancelled_one_is_not(talk):
    server = talk()
    server.greet()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}
    calls = [call(number, f"signing key {number}") for number in range(6)]
    server.stdin.write(b"".join([*calls, json.dumps(cancel).encode() + b"\n"]))
    server.stdin.flush()
    answered = {json.loads(server.stdout.readline())["id"] for _ in range(5)}
    assert answered == {0, 1, 2, 4, 5}
    assert server.leave() == b""


def test_calls_in_flight_that_share_an_id_are_all_answered(talk):
    server = talk()
    server.greet()
    server.stdin.write(call(1, "signing key") * 5)
    server.stdin.flush()
    assert server.leave().count(b"keys.md#rotation@") == 5


def test_the_id_of_a_cancelled_call_may_be_used_again_at_once(talk):
    server = talk()
    server.greet()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    server.search("signing key")  # what a write does takes longer than the next search
    params = {"name": "memory_write", "arguments": {"content": "# Keys\n\nSafe.", "kind": "rule"}}
    other = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    lines = [json.dumps(it).encode() + b"\n" for it in (cancel, other)]
    server.stdin.write(b"".join([call(1, "signing key"), *lines]))
    server.stdin.flush()
    *early, answer = server.leave().splitlines()
    assert b"keys.md#rotation@" not in answer
    # A busy machine may end the search before it reads on: then nothing is there to be cancelled.
    assert all(b"keys.md#rotation@" in it for it in early[:1])
    assert len(early) <= 1


@pytest.mark.parametrize("cancelled", [None, [3], {"id": 3}, True, "3"])
def test_a_cancellation_of_nothing_harms_no_call(talk, cancelled):
    server = talk()
    server.greet()
    cancel = {"method": "notifications/cancelled", "params": {"requestId": cancelled}}
    server.send({"jsonrpc": "2.0", **cancel})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    assert "keys.md#rotation@" in server.search("signing key")["content"][0]["text"]
    server.leave()


def test_a_client_that_asks_and_closes_its_end_still_gets_its_answer(talk):
    server = talk()
    server.greet()
    server.stdin.write(call(5, "signing key"))
    server.stdin.flush()
    assert json.loads(server.leave())["id"] == 5


def test_a_client_that_asks_and_is_gone_leaves_no_trace(talk):
    server = talk()
    server.greet()
    server.stdout.close()
    server.stdin.write(call(5, "signing key"))
    server.stdin.close()
    assert server.process.wait(10) == 0
    assert server.stderr.read() == b""


def test_a_client_whose_pipes_never_wait_gets_every_answer(project):
    ours, its = socket.socketpair()
    its.setblocking(False)
    command = [sys.executable, "-I", "-c", PROGRAM]
    with ours, subprocess.Popen(command, stdin=its, stdout=its, cwd=project) as process:
        its.close()
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello |= {"clientInfo": {"name": "test", "version": "1"}}
        asked = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}
        greeted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        ours.sendall(b"".join(json.dumps(it).encode() + b"\n" for it in (asked, greeted)))
        for number in range(200):  # more than fits between us
            ours.sendall(call(number, "signing key"))
        ours.shutdown(socket.SHUT_WR)
        with ours.makefile("rb") as lines:
            answered = {json.loads(line)["id"] for line in lines}
        assert process.wait(10) == 0
    assert answered == {"hello", *range(200)}


def test_a_client_whose_connection_breaks_leaves_no_trace(project):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ours = socket.create_connection(listening.getsockname())
        its, _ = listening.accept()
    command = [sys.executable, "-I", "-c", PROGRAM]
    pipes = {"stdin": its, "stdout": its, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=project, **pipes) as process:
        its.close()
        ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert ours.recv(1)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        ours.close()
        assert process.wait(10) == 0
        assert process.stderr
        assert process.stderr.read() == b""


def test_a_client_that_closed_its_end_and_reads_nothing_is_not_waited_for(talk, monkeypatch):
    monkeypatch.setenv("FASTMCP_ENV_FILE", os.devnull)
    impatient = "from pit_memory.server import stdio; stdio.LEAVE_SECONDS = 1; runpy.run_module"
    server = talk(PROGRAM.replace("runpy.run_module", impatient))
    server.greet()
    listing = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    server.stdin.write(listing * 40 + call(2, "signing key") * 300)  # more than a pipe holds
    server.stdin.close()
    assert server.process.wait(30) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_while_its_client_is_there(talk, number):
    usual = {signal.SIGINT: "default_int_handler"}.get(number, "SIG_DFL")  # some ignore it here
    server = talk(f"import signal\nsignal.signal({int(number)}, signal.{usual})\n{PROGRAM}")
    server.greet()
    server.search("signing key")
    server.process.send_signal(number)
    assert server.process.wait(10) == -number
    assert server.stderr.read() == b""


def test_closing_stdin_ends_the_server(talk):
    server = talk()
    server.greet()
    assert server.leave() == b""


def test_a_server_nobody_greeted_ends_too(talk):
    assert talk().leave() == b""


def test_a_server_without_a_client_ends(project):
    command = [sys.executable, "-I", "-c", PROGRAM]
    ran = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, cwd=project, check=True
    )
    assert ran.stdout == b""


def test_lines_arrive_however_they_are_cut_and_what_is_none_harms_no_other(talk):
    server = talk()
    server.greet()
    ping = b'{"jsonrpc":"2.0","id":"%d","method":"ping"}'
    cut = ping % 2
    for piece in (b"no message\n" + ping % 1, b"\n" + cut[:9], cut[9:], b"\n"):
        server.stdin.write(piece)
        server.stdin.flush()
    assert {json.loads(server.stdout.readline())["id"] for _ in range(2)} == {"1", "2"}
    server.leave()


def test_more_answers_than_a_pipe_holds_wait_for_a_client_that_is_slow_to_read(talk):
    server = talk()
    server.greet()
    calls = 60
    for number in range(calls):
        server.send({"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {}})
    listed = {json.loads(server.stdout.readline())["id"] for _ in range(calls)}
    assert listed == set(range(calls))
    assert server.leave() == b""


def test_a_client_that_stops_reading_and_leaves_ends_the_server_without_a_trace(talk):
    server = talk()
    server.greet()
    server.stdout.close()
    server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}})
    server.stdin.close()
    assert server.process.wait(10) == 0
    assert server.stderr.read() == b""


def test_a_search_loads_nothing_that_only_other_servers_or_other_calls_need(talk):
    server = talk(PROGRAM.replace("runpy.run_module", "atexit.register(loaded); runpy.run_module"))
    server.greet()
    server.search("signing key")
    server.leave()
    loaded = server.stderr.read().split()
    assert b"fastmcp" in loaded
    unneeded = {b"griffe", b"key_value", b"pit_memory.operations.writing.write"}
    assert not unneeded.intersection(loaded)


@pytest.mark.parametrize(("wanted", "used"), [(None, b"1"), ("3", b"3")])
def test_vectors_are_scanned_by_one_thread_unless_more_are_wanted(talk, monkeypatch, wanted, used):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if wanted:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", wanted)
    said = "__import__('os').environ['OPENBLAS_NUM_THREADS']"
    told = "atexit.register(loaded); runpy.run_module"
    program = PROGRAM.replace("*sys.modules", said).replace("runpy.run_module", told)
    server = talk(program)
    server.greet()
    server.leave()
    assert server.stderr.read().split() == [used]


def test_a_search_by_words_alone_loads_neither_numpy_nor_the_model(project):
    program = f"""
import sys
sys.path.insert(0, {str(MCP_SERVER)!r})
from pathlib import Path
import pit_memory.server.factory
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import open_services
with open_services(Path({str(project)!r}), background="none") as services:
    services.search(SearchRequest("signing key"))
print(*{{"numpy", "onnxruntime", "tokenizers"}} & set(sys.modules))
"""
    environ = {**os.environ, "PIT_MEMORY_EMBEDDING_PROVIDER": "none"}
    ran = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, check=True, env=environ
    )
    assert ran.stdout.split() == []
