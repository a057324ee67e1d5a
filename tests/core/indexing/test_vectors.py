import pytest

from pit_memory.core.indexing.vectors import Coverage


@pytest.mark.parametrize(
    ("coverage", "line"),
    [
        (Coverage(43, 100, 240.0), "meaning: 43 % built, about 4 min to go"),
        (Coverage(0, 7), "meaning: 0 % built"),
        (Coverage(999, 1000, 3.0), "meaning: 99 % built, less than a minute to go"),
        (Coverage(1, 3, 60.0), "meaning: 33 % built, about 1 min to go"),
        (Coverage(1, 1000, 5400.0), "meaning: 0 % built, about 1.5 h to go"),
        (Coverage(5, 5), ""),
        (Coverage(0, 0), ""),
    ],
)
def test_progress_is_one_line_for_people_and_empty_when_all_is_built(coverage, line):
    assert coverage.line() == line
