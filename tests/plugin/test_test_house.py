"""The suite's own walls hold: see tests/conftest.py."""

import os
import socket
import subprocess
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.conftest import REAL_FOLDERS
from tests.machine import children


def test_opening_the_real_data_folder_fails_the_test():
    with pytest.raises(pytest.fail.Exception, match="real"):
        Path(REAL_FOLDERS[0], "catalogue.db").read_bytes()


def test_listing_the_real_data_folder_fails_the_test():
    with pytest.raises(pytest.fail.Exception, match="real"):
        list(os.scandir(REAL_FOLDERS[0]))


def test_a_connection_outside_loopback_fails_the_test():
    with socket.socket() as client, pytest.raises(pytest.fail.Exception, match="only loopback"):
        client.connect(("192.0.2.1", 80))


def test_a_name_lookup_outside_loopback_fails_the_test():
    with pytest.raises(pytest.fail.Exception, match="looked up example"):
        socket.getaddrinfo("example.org", 443)


def test_a_connection_to_loopback_works():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_each_test_has_a_home_of_its_own_with_a_git_identity(home):
    assert Path.home() == home
    assert Path(os.environ["PIT_MEMORY_DATA"]).is_relative_to(home)
    name = subprocess.run(
        ["git", "config", "user.name"], capture_output=True, text=True, check=True, cwd=home
    )
    assert name.stdout == "Ada Example\n"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for children")
def test_children_can_be_asked_for_while_threads_end():
    ends = Event()

    def begin_threads():
        while not ends.is_set():
            thread = Thread(target=lambda: None)
            thread.start()
            thread.join()

    beginning = Thread(target=begin_threads)
    beginning.start()
    try:
        for _ in range(100):
            children()  # raised where a thread had just ended
    finally:
        ends.set()
        beginning.join()
