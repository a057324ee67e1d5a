"""The end of a session: the front goes with its client, and the server with the front."""

import select
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.mcp.front_client import front_command, is_alive
from tests.patience import PATIENCE, comes_true


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


def test_a_client_on_a_socket_that_leaves_answers_unread_is_no_error(tmp_path):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(front_command(tmp_path), stdin=theirs, stdout=theirs, stderr=-1)
        ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert select.select([ours], [], [], PATIENCE)[0]
    said = process.communicate(timeout=PATIENCE)[1]
    assert (process.returncode, said) == (0, b"")


def test_a_client_whose_disk_is_full_is_no_error(tmp_path):
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            front_command(tmp_path),
            input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (0, b"")


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
