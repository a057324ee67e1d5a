"""Sessions with the front, ended with the test."""

import contextlib

import pytest

from tests.mcp.front_client import Session


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
