"""A page added to a nav as one line of text, beside its neighbours."""

import pytest

from pit_memory.core.web.nav_text import NavEntry, with_nav_entry

ENTRY = NavEntry("Gateway: port", "reference/gateway.md")
LINE = "- 'Gateway: port': reference/gateway.md"


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("nav:\n  - Home: index.md\n  - reference/a.md\n  - Last: z.md\n", "  - reference/a.md"),
        ("nav:\n- Home: index.md\n- Ref:\n  - reference/a.md # x\n", "  - reference/a.md # x"),
        ('nav:\n  - "A": "reference/a.md"\nplugins: []\n', '  - "A": "reference/a.md"'),
        ("nav: # by hand\n  - index.md\n  # end\n\nplugins: []\n", "  - index.md"),
        (
            "site_name: X\nnav:\n    - index.md\n    - Sub:\n        - sub/a.md",
            "        - sub/a.md",
        ),
    ],
)
def test_it_stands_below_the_last_page_of_its_folder_or_at_the_end(before: str, behind: str):
    after = with_nav_entry(before, ENTRY)
    assert after is not None
    lines = after.split("\n")
    (at,) = [at for at, line in enumerate(lines) if LINE in line]
    assert lines[at - 1] == behind
    assert [line for line in lines if LINE not in line] == before.split("\n")


@pytest.mark.parametrize("text", ["site_name: X\n", "nav: [index.md]\n", "nav: !inc x\n", "nav:\n"])
def test_without_a_list_below_it_there_is_no_place(text: str):
    assert with_nav_entry(text, ENTRY) is None
