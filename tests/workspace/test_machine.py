"""What of the machine a process may use."""

import os

import pytest

from pit_memory.workspace.machine import cores, memory_bytes
from tests.builders import write_files


@pytest.mark.parametrize(
    ("limit", "expected"), [("100000 100000\n", 1), ("150000 100000\n", 2), ("50000 100000\n", 1)]
)
def test_a_container_has_the_cores_that_its_quota_is_worth(tmp_path, monkeypatch, limit, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert cores(write_files(tmp_path, {"cpu.max": limit})) == expected


@pytest.mark.parametrize("limit", ["max 100000\n", "", "nonsense", "1 0"])
def test_without_a_quota_a_process_has_the_cores_it_may_run_on(tmp_path, monkeypatch, limit):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert cores(write_files(tmp_path, {"cpu.max": limit})) == 3
    assert cores(tmp_path / "no such folder") == 3


def test_a_container_has_the_memory_of_its_limit(tmp_path):
    whole = memory_bytes(tmp_path / "no such folder")
    assert whole > 100_000_000
    assert memory_bytes(write_files(tmp_path, {"memory.max": "max\n"})) == whole
    assert memory_bytes(write_files(tmp_path, {"memory.max": "50000000\n"})) == 50_000_000
