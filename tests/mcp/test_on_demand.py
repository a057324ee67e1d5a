"""Services that are opened when they are needed, and closed when they are replaced."""

import ctypes
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from pit_memory.operations.searching.search import SearchRequest
from pit_memory.server.on_demand import ServicesOnDemand
from tests.patience import PATIENCE

ASKED = SearchRequest("signing key")


class Opened:
    """Services that answer who they are, when they may."""

    def __init__(self, number: int, reached: Event, may_answer: Event):
        self.number, self.reached, self.may_answer = number, reached, may_answer

    def search(self, request):
        assert request == ASKED
        self.reached.set()
        assert self.may_answer.wait(PATIENCE)
        return self.number


class Story:
    """Services on demand, over settings that change."""

    def __init__(self):
        self.stamp = 0
        self.open: list[int] = []
        self.reached, self.may_answer = Event(), Event()
        self.services = ServicesOnDemand(self.opening, lambda: False, lambda: self.stamp)

    @contextmanager
    def opening(self) -> Iterator[Opened]:
        number = self.stamp
        self.open.append(number)
        yield Opened(number, self.reached, self.may_answer)
        self.open.remove(number)


def test_services_are_closed_when_changed_settings_replace_them():
    story = Story()
    story.may_answer.set()
    for story.stamp in range(3):
        assert story.services.search(ASKED) == story.stamp
        assert story.services.search(ASKED) == story.stamp
        assert story.open == [story.stamp]
    story.services.close()
    assert story.open == []


def test_replaced_services_stay_open_while_a_call_is_at_them():
    story = Story()
    answers = []
    slow = Thread(target=lambda: answers.append(story.services.search(ASKED)))
    slow.start()
    assert story.reached.wait(PATIENCE)
    story.reached.clear()
    story.stamp = 1
    next_one = Thread(target=lambda: answers.append(story.services.search(ASKED)))
    next_one.start()
    assert story.reached.wait(PATIENCE)
    assert story.open == [0, 1]
    story.may_answer.set()
    slow.join(PATIENCE)
    next_one.join(PATIENCE)
    assert sorted(answers) == [0, 1]
    assert story.open == [1]
    story.services.close()
    assert story.open == []


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc's heaps")
def test_what_replaced_services_took_is_given_back_whatever_thread_opened_them():
    megabytes, blocks_each = 32, 1024
    kept: list[bytearray] = []

    class Large:
        def __init__(self):
            size = megabytes * 1024 * 1024 // blocks_each
            self.blocks = [bytearray(b"x") * size for _ in range(blocks_each)]
            kept.append(bytearray(size))  # in the way of what gives back only the heap's end

        def search(self, request):
            assert request == ASKED
            return len(self.blocks)

    @contextmanager
    def opening():
        yield Large()

    stamps = count()
    services = ServicesOnDemand(opening, lambda: False, lambda: next(stamps))
    turns = [ThreadPoolExecutor(1) for _ in range(5)]  # each with a heap of its own
    grown = []
    for thread in turns:
        thread.submit(services.search, ASKED).result()
        grown.append(resident_bytes())
    services.close()
    for thread in turns:
        thread.shutdown()

    assert grown[-1] - grown[0] < 1.5 * megabytes * 1024 * 1024


def resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
