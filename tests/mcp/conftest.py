"""Sessions with the front, and servers over HTTP, ended with the test."""

import contextlib

import pytest

from pit_memory.workspace.token_file import TokenFile
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


@pytest.fixture
def tokens(tmp_path):
    """The tokens of an HTTP server, none yet."""
    return TokenFile(tmp_path / "tokens.json")


@pytest.fixture
def serve(tmp_path, tokens):
    """Make an HTTP server; the arguments are settings of the table `server`."""
    from tests.mcp.http_server import serving  # it takes a second, and the front does without

    with serving(tmp_path / "project", tokens) as serve:
        yield serve
