"""Lines read by threads that take turns, and answered side by side."""

import os
from collections.abc import Callable, Iterator
from threading import Barrier, Event, Lock, active_count, get_ident

import pytest

from pit_memory.server import taking_turns
from pit_memory.server.taking_turns import MOST_THREADS, TakingTurns
from tests.patience import comes_true

PATIENCE = 60


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    os.close(ends[0])


def is_call(line: str) -> str | None:
    """Lines that begin with `call` are calls."""
    return line if line.startswith("call") else None


def read_all(pipe: tuple[int, int], sent: bytes, answer: Callable[[str], None]) -> list[str]:
    """Send everything and read it to the end; returns the lines that were sorted, in order."""
    seen = []

    def sort(line: str) -> str | None:
        seen.append(line)
        return is_call(line)

    turns = TakingTurns(pipe[0], sort, answer)
    turns.start()
    os.write(pipe[1], sent)
    os.close(pipe[1])
    turns.join()
    return seen


def test_every_line_is_sorted_in_order_and_every_call_answered(pipe):
    answered = []
    sent = b"note 1\ncall 1\nnote 2\ncall 2\n\nnote 3"
    seen = read_all(pipe, sent, answered.append)
    assert seen == ["note 1", "call 1", "note 2", "call 2", "", "note 3"]
    assert sorted(answered) == ["call 1", "call 2"]


def test_a_call_is_answered_by_the_thread_that_read_it(pipe):
    readers, answerers = {}, {}

    def sort(line: str) -> str:
        readers[line] = get_ident()
        return line

    def answer(call: str) -> None:
        answerers[call] = get_ident()

    turns = TakingTurns(pipe[0], sort, answer)
    turns.start()
    os.write(pipe[1], b"call 1\ncall 2\ncall 3\n")
    os.close(pipe[1])
    turns.join()
    assert answerers == readers


def test_calls_are_answered_side_by_side_and_others_heard_meanwhile(pipe):
    together, heard = Barrier(3), Event()

    def sort(line: str) -> str | None:
        if line == "note":
            heard.set()
        return is_call(line)

    def answer(call: str) -> None:  # noqa: ARG001
        together.wait(PATIENCE)
        assert heard.wait(PATIENCE)

    turns = TakingTurns(pipe[0], sort, answer)
    turns.start()
    os.write(pipe[1], b"call 1\ncall 2\ncall 3\nnote\n")
    os.close(pipe[1])
    turns.join()
    assert not together.broken


def test_more_calls_than_threads_wait_their_turn(pipe):
    before, most, running = active_count(), 0, 0
    counting = Lock()
    answered = []

    def answer(call: str) -> None:
        nonlocal most, running
        with counting:
            running += 1
            most = max(most, running)
        answered.append(call)
        with counting:
            running -= 1

    calls = [f"call {number}" for number in range(20 * MOST_THREADS)]
    read_all(pipe, "\n".join(calls).encode(), answer)
    assert sorted(answered) == sorted(calls)
    assert most <= MOST_THREADS
    assert active_count() == before


def test_one_call_after_another_needs_two_threads(pipe):
    seen = set()
    answered = Event()

    def answer(call: str) -> None:  # noqa: ARG001
        seen.add(get_ident())
        answered.set()

    turns = TakingTurns(pipe[0], is_call, answer)
    turns.start()
    for _ in range(20):
        answered.clear()
        os.write(pipe[1], b"call\n")
        assert answered.wait(PATIENCE)
    os.close(pipe[1])
    turns.join()
    assert len(seen) <= 3  # one may not have said yet that it is done


def test_a_line_is_put_together_from_its_pieces(pipe):
    first = Event()
    seen = []

    def sort(line: str) -> None:
        seen.append(line)
        first.set()

    turns: TakingTurns[str] = TakingTurns(pipe[0], sort, print)
    turns.start()
    os.write(pipe[1], b"on")
    os.write(pipe[1], b"e\nt")
    assert first.wait(PATIENCE)
    os.write(pipe[1], b"wo\xff")
    os.close(pipe[1])
    turns.join()
    assert seen == ["one", "two\N{REPLACEMENT CHARACTER}"]


def test_a_descriptor_that_never_waits_is_waited_for(pipe):
    os.set_blocking(pipe[0], False)
    turns = TakingTurns(pipe[0], is_call, (answered := []).append)
    turns.start()
    os.write(pipe[1], b"call 1\n")
    os.close(pipe[1])
    turns.join()
    assert answered == ["call 1"]


def test_lines_are_heard_while_every_other_thread_is_busy_and_calls_wait(pipe):
    heard, answered = Event(), []

    def sort(line: str) -> str | None:
        if line == "note":
            heard.set()
        return is_call(line)

    def answer(call: str) -> None:
        assert heard.wait(PATIENCE)
        answered.append(call)

    calls = [f"call {number}" for number in range(3 * MOST_THREADS)]
    turns = TakingTurns(pipe[0], sort, answer)
    turns.start()
    os.write(pipe[1], "\n".join([*calls, "note"]).encode())
    os.close(pipe[1])
    turns.join()
    assert sorted(answered) == sorted(calls)


def test_calls_that_wait_without_end_are_not_read(pipe, monkeypatch):
    monkeypatch.setattr(taking_turns, "MOST_WAITING", 5)
    go_on, seen, answered = Event(), [], []

    def sort(line: str) -> str:
        seen.append(line)
        return line

    def answer(call: str) -> None:
        assert go_on.wait(PATIENCE)
        answered.append(call)

    calls = [f"call {number}" for number in range(3 * MOST_THREADS)]
    turns = TakingTurns(pipe[0], sort, answer)
    turns.start()
    os.write(pipe[1], "\n".join(calls).encode())
    os.close(pipe[1])
    assert comes_true(lambda: len(seen) >= MOST_THREADS + 5)
    assert len(seen) == MOST_THREADS + 5
    go_on.set()
    turns.join()
    assert sorted(answered) == sorted(calls)
