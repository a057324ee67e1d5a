from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.indexing.domain_map import MOST_AREAS, Area, areas


def test_areas_come_by_number_of_sections_with_the_words_of_their_titles():
    rows = [
        ("api/tokens.md", "Token rotation", 4),
        ("ops/restart.md", "Restart the gateway", 3),
        ("ops/scale.md", "Scale the Gateway", 2),
    ]

    assert areas(rows) == (
        Area("ops", 5, ("gateway", "restart", "scale")),
        Area("api", 4, ("rotation", "token")),
    )


def test_a_folder_that_holds_nearly_everything_is_opened():
    rows = [
        ("docs/api/a.md", "A page", 50),
        ("docs/ops/b.md", "Another", 40),
        ("README.md", "R", 2),
    ]

    assert [area.path for area in areas(rows)] == ["docs/api", "docs/ops", ""]


def test_files_beside_the_folders_are_an_area_of_their_own():
    rows = [("docs/a.md", "A", 9), ("docs/api/b.md", "B", 9), ("docs/ops/c.md", "C", 9)]

    assert [area.path for area in areas(rows)] == ["docs", "docs/api", "docs/ops"]


def test_nothing_has_no_areas():
    assert areas([]) == ()


NAME = st.sampled_from(["a", "b", "c"])
ROW = st.tuples(
    st.lists(NAME, min_size=1, max_size=4).map("/".join), st.text(max_size=20), st.integers(0, 9)
)


@given(st.lists(ROW, max_size=30, unique_by=lambda row: row[0]))
def test_every_section_lies_in_one_area_whatever_the_order(rows):
    found = areas(rows)

    assert len(found) <= MOST_AREAS
    assert sum(area.sections for area in found) == sum(row[2] for row in rows)
    assert areas(reversed(rows)) == found
