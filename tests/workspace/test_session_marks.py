"""What a session was told is remembered, for it alone, and not for ever."""

import os
import time
from pathlib import Path

import pytest

from pit_memory.workspace.places import Places, session_marks
from pit_memory.workspace.session_marks import (
    KEPT_SECONDS,
    forget_old_sessions,
    forget_session,
    mark_once,
)


@pytest.fixture
def where(tmp_path: Path) -> Places:
    return Places(tmp_path / "data", tmp_path / "config")


def test_a_mark_is_new_once_a_session(where: Places):
    assert [mark_once(where, "a", "x"), mark_once(where, "a", "x")] == [True, False]
    assert mark_once(where, "a", "y")
    assert mark_once(where, "b", "x")


def test_a_session_that_is_forgotten_is_told_again(where: Places):
    mark_once(where, "a", "x")
    mark_once(where, "b", "x")
    forget_session(where, "a")
    assert mark_once(where, "a", "x")
    assert not mark_once(where, "b", "x")


def test_sessions_that_are_long_over_are_forgotten(where: Places):
    mark_once(where, "old", "x")
    past = time.time() - KEPT_SECONDS - 60
    (old,) = session_marks(where).iterdir()
    os.utime(old, (past, past))
    mark_once(where, "new", "x")
    forget_old_sessions(where)
    assert [folder == old for folder in session_marks(where).iterdir()] == [False]


def test_without_an_id_and_without_a_disk_everything_is_new(where: Places):
    assert [mark_once(where, "", "x"), mark_once(where, "", "x")] == [True, True]
    where.data.parent.mkdir(exist_ok=True)
    where.data.write_text("a file is where the folder should be")
    assert [mark_once(where, "a", "x"), mark_once(where, "a", "x")] == [True, True]
    forget_session(where, "a")
    forget_old_sessions(where)


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a/b", "..", "\0", "x" * 500, "部" * 200])
def test_a_name_leads_nowhere(where: Places, name: str):
    assert [mark_once(where, name, name), mark_once(where, name, name)] == [True, False]
    made = [path for path in where.data.parent.rglob("*") if path.is_file()]
    assert len(made) == 1
    assert made[0].parent.parent == session_marks(where)
