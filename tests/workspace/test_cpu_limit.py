"""A limit on computing time, which ends even a regular expression."""

import re
import time

import pytest

from pit_memory.workspace.cpu_limit import CpuLimit, OutOfTimeError

LIMIT = 0.02


@pytest.mark.parametrize(
    ("pattern", "text"), [("(a+)+$", "a" * 60 + "b"), (".*.*.*.*=", "a" * 20_000)]
)
def test_a_pattern_that_takes_for_ever_is_stopped(pattern: str, text: str):
    began = time.process_time()
    with pytest.raises(OutOfTimeError), CpuLimit(LIMIT):
        re.search(pattern, text)
    assert time.process_time() - began < 20 * LIMIT


def test_what_is_quick_is_not_disturbed():
    with CpuLimit(LIMIT):
        assert re.search("a+", "aaa")


def test_waiting_does_not_count():
    with CpuLimit(LIMIT):
        time.sleep(3 * LIMIT)


def test_the_limit_ends_with_its_block():
    with CpuLimit(LIMIT):
        pass
    until = time.process_time() + 3 * LIMIT
    while time.process_time() < until:
        pass
