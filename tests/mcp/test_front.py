"""The front as a process, over a tiny server in the place of the real one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.shared_material import PROJECT

HERE = Path(__file__).resolve().parent
TOOLS_JSON = HERE.parents[1] / "mcp_server" / "tools.json"
NEVER = 3600.0
PATIENCE = 40.0
"""Seconds after which something that should have happened did not."""


class Session:
    """One client's side of a front."""

    def __init__(self, folder, *, built=True, python=sys.executable, cwd=None, **limits):
        self.folder = folder
        self.python = python
        if built:
            self.finish_build()
        # Most stories are about what a call does: it alone starts the server there.
        limits = {"warm": NEVER, **limits}
        options = json.dumps({"folder": str(folder), "limits": limits})
        with (folder / "stderr").open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-S", str(HERE / "front_runner.py"), options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=cwd or folder,
            )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def finish_build(self):
        (self.folder / "python.new").write_text(self.python)
        (self.folder / "python.new").rename(self.folder / "python")

    def send(self, message):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.stdin.write(raw + b"\n")
        self.stdin.flush()

    def request(self, request_id, method, params=None):
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})

    def call(self, request_id, tool, **params):
        self.request(request_id, "tools/call", {"name": tool, "arguments": {}, **params})

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def line(self):
        return self.stdout.readline().rstrip(b"\n")

    def receive(self):
        return json.loads(self.line())

    def text(self):
        return self.receive()["result"]["content"][0]["text"]

    def greet(self, **hello):
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        self.request("hello", "initialize", {**params, **hello})
        answer = self.receive()["result"]
        self.notify("notifications/initialized", {})
        return answer

    def servers(self):
        """Process ids of the servers that ran, in order."""
        started = self.folder / "servers"
        return [int(pid) for pid in started.read_text().split()] if started.exists() else []

    def stderr(self):
        return (self.folder / "stderr").read_text()


@pytest.fixture
def start(tmp_path):
    sessions: list[Session] = []

    def begin(**options):
        folder = tmp_path / f"session-{len(sessions)}"
        folder.mkdir()
        sessions.append(Session(folder, **options))
        return sessions[-1]

    yield begin
    for session in sessions:
        session.process.kill()
        session.process.wait()
        with contextlib.suppress(BrokenPipeError):
            session.stdin.close()
        session.stdout.close()


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A dead process that nobody has waited for still has its number.
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def comes_true(condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


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


def test_the_first_call_starts_the_server_and_greets_it_as_the_client_greeted_us(start):
    session = start()
    session.greet(capabilities={"roots": {}}, clientInfo={"name": "someone", "version": "7"})
    session.call(1, "hello")
    hello = json.loads(session.text())
    assert hello["capabilities"] == {"roots": {}}
    assert hello["clientInfo"] == {"name": "someone", "version": "7"}


def test_the_server_is_started_in_a_quiet_moment_after_the_handshake(start):
    session = start(warm=0.0)
    session.greet()
    assert comes_true(session.servers)
    session.call(1, "pid")
    pid = int(session.text())
    assert session.servers() == [pid]
    session.stdin.close()
    assert session.process.wait(PATIENCE) == 0
    assert not is_alive(pid)


def test_a_server_started_early_that_nobody_asks_is_let_go_and_comes_back_with_a_call(start):
    session = start(warm=0.0, unasked=0.3)
    session.greet()
    assert comes_true(session.servers)
    (early,) = session.servers()
    assert comes_true(lambda: not is_alive(early))
    session.call(1, "hello")
    assert json.loads(session.text())["clientInfo"]["name"] == "test"
    assert len(session.servers()) == 2
    session.call(2, "pid")
    assert session.servers()[1] == int(session.text())


def test_a_server_that_is_not_up_yet_ends_with_the_client(start, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text('#!/bin/sh\ncd "$2"\necho $$ >new\nmv new servers\nexec sleep 600\n')
    slow.chmod(0o755)
    session = start(warm=0.0, python=str(slow))
    session.greet()
    assert comes_true(session.servers)
    (pid,) = session.servers()
    session.stdin.close()
    assert session.process.wait(PATIENCE) == 0
    assert not is_alive(pid)


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


def test_a_crash_answers_every_open_call_and_the_next_call_starts_anew(start):
    session = start()
    session.call(1, "pid")
    first = session.text()
    session.call(2, "never")
    session.request(3, "tools/list")
    session.call(4, "crash")
    answers = {answer["id"]: answer["result"] for answer in (session.receive() for _ in range(3))}
    assert answers[3] == {"from": "tiny", "method": "tools/list"}
    for lost in (answers[2], answers[4]):
        assert lost["isError"] is True
        assert "ended (exit code 3)" in lost["content"][0]["text"]
        assert "Call again" in lost["content"][0]["text"]
    session.call(5, "pid")
    assert session.text() != first


def test_a_killed_server_is_named_by_its_signal(start):
    session = start()
    session.call(1, "pid")
    pid = int(session.text())
    session.call(2, "never")
    os.kill(pid, signal.SIGKILL)
    assert "killed by SIGKILL" in session.text()


def test_a_server_that_cannot_start_fails_the_call_and_not_the_session(start):
    session = start()
    session.greet()
    (session.folder / "python").write_text("/nowhere/python")
    session.call(1, "pid")
    assert "could not start" in session.text()
    session.finish_build()
    session.call(2, "pid")
    assert int(session.text()) > 0


def test_a_server_that_never_answers_the_greeting_is_given_up(start):
    session = start(start=0.3)
    (session.folder / "python").write_text("/bin/cat")
    session.call(1, "pid")
    text = session.text()
    assert "pit-memory's search process ended" in text


def test_the_server_is_let_go_when_idle_and_comes_back_with_the_next_call(start):
    session = start(idle=0.3)
    session.greet()
    session.call(1, "pid")
    first = int(session.text())
    assert comes_true(lambda: not is_alive(first))
    session.request(2, "tools/list")
    assert len(session.receive()["result"]["tools"]) >= 2
    session.call(3, "pid")
    assert int(session.text()) != first


def test_a_build_is_asked_for_before_the_first_call(start):
    session = start(built=False)
    session.greet()
    assert comes_true((session.folder / "asked").exists)


def test_a_call_waits_for_a_build_that_is_nearly_done_and_tells_how_far_it_is(start):
    session = start(built=False)
    session.call(1, "pid", _meta={"progressToken": "p"})
    progress = session.receive()
    assert progress["method"] == "notifications/progress"
    assert progress["params"]["message"] == "step 2 of 3, about 7 s left"
    session.finish_build()
    answer = session.receive()
    while "method" in answer:
        answer = session.receive()
    assert int(answer["result"]["content"][0]["text"]) > 0


def test_a_call_that_would_wait_too_long_is_told_the_step_and_later_ones_work(start):
    session = start(built=False, build_wait=1.0)
    session.call(1, "pid")
    refused = session.receive()["result"]
    assert refused["isError"] is True
    assert refused["content"][0]["text"] == (
        "step 2 of 3, about 7 s left. Use grep meanwhile, and call again later in this session."
    )
    session.finish_build()
    session.call(2, "pid")
    assert int(session.text()) > 0


def test_a_call_whose_progress_is_shown_waits_longer(start):
    session = start(built=False, build_wait=0.0, watched_build_wait=600.0)
    session.call(1, "pid", _meta={"progressToken": "p"})
    assert session.receive()["method"] == "notifications/progress"
    session.call(2, "pid")
    answer = session.receive()
    while "method" in answer:
        answer = session.receive()
    assert (answer["id"], answer["result"]["isError"]) == (2, True)
    session.finish_build()
    answer = session.receive()
    while "method" in answer:
        answer = session.receive()
    assert answer["id"] == 1


def test_a_build_that_failed_names_its_log(start):
    session = start(built=False)
    (session.folder / "failed").touch()
    session.call(1, "pid")
    refused = session.receive()["result"]
    assert refused["isError"] is True
    assert "build.log" in refused["content"][0]["text"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"17", -32600),
        (b"{}", -32600),
        (b'{"id":null,"method":"ping"}', -32600),
        (b'{"id":{},"method":"tools/call"}', -32600),
        (b'{"id":true,"method":"ping"}', -32600),
        (b'{"id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (5 * 1024 * 1024) + b'"}', -32600),
    ],
)
def test_a_line_that_is_no_request_is_refused_and_the_session_goes_on(start, line, code):
    session = start()
    session.send(line)
    assert session.receive()["error"]["code"] == code
    session.call(1, "pid")
    assert int(session.text()) > 0
    session.send(line)
    assert session.receive()["error"]["code"] == code
    session.call(2, "pid")
    assert session.receive()["id"] == 2


def test_notifications_and_answers_nobody_asked_for_are_ignored(start):
    session = start()
    session.notify("notifications/roots/list_changed", {})
    session.notify("notifications/cancelled", {})
    session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 3})
    session.send({"jsonrpc": "2.0", "id": 5, "result": {}})
    session.send(b"")
    session.send(b"   \r")
    session.request(1, "ping")
    assert session.receive()["id"] == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', "must be an object"),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', "must be an object"),
        (b'{"id":1,"method":"tools/call","params":{}}', "JSON-RPC 2.0"),
        (b'{"jsonrpc":2,"id":1,"method":"tools/call","params":{}}', "JSON-RPC 2.0"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":'
            + b"[" * 300
            + b"]" * 300
            + b"}}",
            "deeper than 100",
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\uD800"}}',
            "half of a character",
        ),
    ],
)
def test_a_request_the_server_would_drop_in_silence_is_refused_with_its_id(start, line, why):
    session = start()
    for number in (2, 3):  # Before the server runs, and while it does.
        session.send(line)
        refused = session.receive()
        assert (refused["id"], refused["error"]["code"]) == (1, -32600)
        assert why in refused["error"]["message"]
        session.call(number, "pid")
        assert int(session.text()) > 0


def test_an_emoji_in_escapes_and_many_short_lists_reach_the_server(start):
    session = start()
    session.call(1, "pid", _meta={"emoji": "\N{ZEBRA FACE}", "lists": [[1]] * 500})
    assert int(session.text()) > 0


def test_a_client_that_writes_much_before_it_reads_is_answered(start):
    session = start()
    for number in range(500):
        session.request(number, "tools/list")
    assert [session.receive()["id"] for _ in range(500)] == list(range(500))


def test_a_last_line_without_its_end_counts(start):
    session = start()
    session.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    session.stdin.close()
    assert session.receive()["id"] == 1
    assert session.process.wait(PATIENCE) == 0


def test_a_client_that_closes_its_end_still_gets_the_open_answer(start):
    session = start()
    session.call(1, "echo")
    session.stdin.close()
    assert "echo" in session.text()
    assert session.process.wait(PATIENCE) == 0


def test_a_client_that_closes_its_end_during_a_call_that_never_ends_is_let_go(start):
    session = start(drain=0.5)
    session.call(1, "pid")
    pid = int(session.text())
    session.call(2, "never")
    session.stdin.close()
    assert session.process.wait(PATIENCE) == 0
    assert comes_true(lambda: not is_alive(pid))


def test_a_client_that_vanishes_during_a_call_is_not_waited_for(start):
    session = start(drain=600)
    session.call(1, "pid")
    pid = int(session.text())
    session.call(2, "never")
    session.stdout.close()
    session.stdin.close()
    assert session.process.wait(PATIENCE) == 0
    assert comes_true(lambda: not is_alive(pid))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_front_and_the_server(start, number):
    session = start()
    session.call(1, "pid")
    pid = int(session.text())
    session.call(2, "deaf")
    session.process.send_signal(number)
    assert session.process.wait(PATIENCE) == 0
    assert comes_true(lambda: not is_alive(pid))


def test_the_server_ends_when_the_front_is_killed(start):
    session = start()
    session.call(1, "pid")
    pid = int(session.text())
    session.process.kill()
    assert comes_true(lambda: not is_alive(pid))


def test_fifty_rapid_sessions_leave_no_process_behind(start):
    pids = []
    for number in range(50):
        session = start(warm=0.0)
        if number % 2:
            session.call(1, "pid")
            pids.append(int(session.text()))
        if number % 3 == 0:
            session.process.kill()
        else:
            session.stdin.close()
        pids.append(session.process.pid)
        session.process.wait(PATIENCE)
    assert comes_true(lambda: not any(is_alive(pid) for pid in pids))


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
