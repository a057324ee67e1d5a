"""The server behind the front: when it starts, and what becomes of calls when it ends."""

import json
import os
import signal

from tests.mcp.front_client import is_alive
from tests.patience import PATIENCE, comes_true


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
