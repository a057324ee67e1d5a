from pathlib import Path

import pytest

from pit_memory.core.documents.documents import Problem
from pit_memory.core.source import Source
from pit_memory.sources import reading
from pit_memory.sources.reading import ReadFile, read_source_file
from pit_memory.sources.reading_child import read_in_child
from tests.builders import write_files
from tests.machine import children


def source_of(root: Path, files: dict[str, str]) -> Source:
    return Source("", str(write_files(root, files)), max_file_bytes=1_000)


def test_a_file_is_read_with_the_stamps_it_had(tmp_path: Path):
    source = source_of(tmp_path, {"a.md": "# A\n"})

    read = read_source_file(source, "a.md")

    assert isinstance(read, ReadFile)
    assert (read.document.path, read.document.title, read.size) == ("a.md", "A", 4)
    assert read.mtime_ns == (tmp_path / "a.md").stat().st_mtime_ns


def test_a_file_that_is_not_there_is_nothing(tmp_path: Path):
    assert read_source_file(source_of(tmp_path, {}), "a.md") is None
    assert read_source_file(source_of(tmp_path, {"b": ""}), "b/a.md") is None


def test_a_file_that_grew_too_large_or_turned_into_a_folder_is_a_problem(tmp_path: Path):
    source = source_of(tmp_path, {"a.md": "x" * 1_001, "b.md/c.md": ""})

    for path in ("a.md", "b.md"):
        problem = read_source_file(source, path)
        assert isinstance(problem, Problem)
        assert (problem.path, problem.rule) == (path, "unreadable")


def test_a_defect_met_in_one_file_is_reported_as_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object, **__: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(reading, "read_contents", fail)

    problem = read_source_file(source_of(tmp_path, {"a.md": "# A\n"}), "a.md")

    assert isinstance(problem, Problem)
    assert problem.rule == "defect"
    assert "IndexError: list index out of range" in problem.message


def test_a_child_reads_the_same_in_the_same_order(tmp_path: Path):
    source = source_of(tmp_path, {f"{n}.md": f"# {n}\n" for n in range(50)})
    paths = [f"{n}.md" for n in range(60)]

    assert list(read_in_child(source, paths)) == [
        (path, read_source_file(source, path)) for path in paths
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for children")
def test_whoever_stops_listening_leaves_no_child_behind(tmp_path: Path):
    source = source_of(tmp_path, {f"{n}.md": f"# {n}\n" for n in range(50)})
    before = children()
    readings = read_in_child(source, [f"{n}.md" for n in range(50)])
    next(readings)
    assert children() > before

    readings.close()  # type: ignore[attr-defined]
    assert children() == before
