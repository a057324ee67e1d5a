"""The block a session starts with: what is in it, in which order, and how large it may be."""

from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.push.memory_entries import HOST_TYPES, MemoryEntry
from pit_memory.core.push.session_block import (
    MOST_UNITS,
    SUBAGENT_BUDGET,
    Area,
    Preamble,
    session_block,
    subagent_block,
)
from pit_memory.core.tokens import estimate

SEARCH_FIRST = MemoryEntry("rule", "search-first", "Ask docs_search first", "")


def entry(
    kind: str, slug: str, description: str = "", body: str = "", trigger_tool: str = ""
) -> MemoryEntry:
    return MemoryEntry(kind, slug, description or f"About {slug}", body, trigger_tool)


def many(number: int, words: int = 20, trigger_tool: str = "") -> list[MemoryEntry]:
    return [
        entry("gotcha", f"g{at:03}", f"No {at} " + "word " * words, trigger_tool=trigger_tool)
        for at in range(number)
    ]


def test_a_block_reads_top_to_bottom():
    block = session_block(
        [
            entry("preference", "short-answers", "Answers are short"),
            entry("gotcha", "inode", "Clear the folder, never remove it", body="Use find -delete."),
            entry("rule", "a-rule", "Tests first"),
            SEARCH_FIRST,
        ],
        preambles=[
            Preamble("~/MEMORY.md", "My words."),
            Preamble("memory/MEMORY.md", "# Ours\n\nx"),
        ],
        areas=[Area("docs/guides", ("deploy", "keys")), Area("", ("readme",))],
    )
    assert block.text == (
        "# Memory of this project (pit-memory)\n"
        "- Ask docs_search first\n"
        "- Tests first\n"
        "Gotchas:\n"
        "- Clear the folder, never remove it. Use find -delete.\n"
        "This person prefers:\n"
        "- Answers are short\n"
        "My words.\n"
        "# Ours\n"
        "\n"
        "x\n"
        "Documented here (docs_search):\n"
        "- docs/guides: deploy, keys\n"
        "- top: readme\n"
    )


def test_an_area_whose_titles_say_nothing_is_named_alone():
    block = session_block([], areas=[Area("docs/upgrades", ()), Area("", ())])
    assert block.text.endswith("Documented here (docs_search):\n- docs/upgrades\n")


def test_with_nothing_to_say_nothing_is_said():
    assert session_block([], areas=[Area("", ())]).text == ""
    assert session_block([]).text == ""
    assert subagent_block([entry("gotcha", "x")]).text == ""


def test_nothing_is_said_twice():
    same = "Use find -delete."
    block = session_block(
        [
            entry("gotcha", "a", "Use find", body=f"{same}\n\nIt keeps the inode."),
            entry("gotcha", "b", "It keeps the inode!", body="it keeps the inode"),
            entry("rule", "c", same),
            entry("rule", "d", same),
        ]
    ).text
    assert block.count(same) == 2  # the rule once, and within the longer gotcha
    assert block.lower().count("it keeps the inode") == 2


def test_a_body_that_is_a_list_stays_one():
    block = session_block(
        [entry("rule", "x", "Before a release", body="- build\n- sign\n\n```\nrun\n```")]
    )
    assert block.text.endswith("- Before a release\n  - build\n  - sign\n\n  ```\n  run\n  ```\n")


def test_over_the_budget_entries_with_a_trigger_go_first_then_by_kind_and_name():
    triggered = many(3, 60, trigger_tool="Bash")
    plain = [entry("gotcha", f"plain-{at}", f"No {at} " + "word " * 90) for at in range(9)]
    rule = entry("rule", "z-rule", "word " * 95)
    preference = entry("preference", "a-preference", "word " * 85)
    block = session_block([*triggered, *plain, preference, rule], budget=900)
    shown = [part.entry.slug for part in block.parts if part.is_shown]
    kept = len(shown) - 1
    assert shown == ["z-rule", *(f"plain-{at}" for at in range(kept))]
    assert 3 < kept < 9
    last = block.text.splitlines()[-1]
    assert last.startswith("Left out for room")
    for slug in ("g000", "g001", "g002", "plain-8", "a-preference"):
        assert slug in last


def test_an_entry_too_large_for_any_block_does_not_push_out_the_others():
    giant = entry("rule", "giant", "word " * 5000)
    block = session_block([giant, *many(5)])
    assert [part.entry.slug for part in block.parts if not part.is_shown] == ["giant"]
    assert block.text.endswith("(docs_search finds it): rule giant\n")


def test_ten_thousand_left_out_entries_are_counted():
    block = session_block(many(10_000))
    assert block.text.endswith(" more\n")
    assert estimate(block.text) <= 1200


def test_a_long_preamble_is_cut_at_a_line_and_says_where_the_rest_is():
    text = "\n".join(f"line {at} of my own words" for at in range(500))
    block = session_block([SEARCH_FIRST], preambles=[Preamble("memory/MEMORY.md", text)])
    assert block.text.endswith("of my own words\n(more in memory/MEMORY.md)\n")
    assert estimate(block.text) <= 1200 / 3 + 60


def test_a_subagent_gets_the_rules_alone():
    rules = [entry("rule", f"r{at}", "word " * 40) for at in range(20)]
    block = subagent_block([*rules, SEARCH_FIRST, entry("gotcha", "g"), entry("preference", "p")])
    assert estimate(block.text) <= SUBAGENT_BUDGET
    assert "Ask docs_search first" in block.text
    assert "gotcha" not in block.text.lower()
    assert "prefers" not in block.text


def test_terminal_codes_and_text_that_changes_direction_are_made_visible():
    block = session_block(
        [entry("rule", "x", "red \x1b[31m", body="a\u202eb\x9b")],
        preambles=[Preamble("m", "\x07")],
        areas=[Area("a\x1b", ("b",))],
        notes=["c\x1b"],
    )
    assert not {"\x1b", "\u202e", "\x9b", "\x07"} & set(block.text)


texts = st.text(st.characters(codec="utf-16"), max_size=300)
entries = st.lists(
    st.builds(
        MemoryEntry,
        kind=st.sampled_from(list(HOST_TYPES)),
        slug=st.from_regex(r"[a-z]{1,8}", fullmatch=True),
        description=texts.map(lambda text: " ".join(text.split()) or "x"),
        body=texts.map(lambda text: text.strip("\n")),
        trigger_tool=st.sampled_from(["", "Bash"]),
    ),
    max_size=12,
    unique_by=lambda entry: entry.slug,
)


@given(
    entries,
    st.lists(st.builds(Preamble, texts, texts), max_size=2),
    st.lists(st.builds(Area, texts, st.tuples(texts)), max_size=3),
    st.integers(100, 3000),
    st.randoms(),
)
def test_a_block_keeps_to_its_budget_and_does_not_depend_on_the_order_read(
    given_entries, preambles, areas, budget, random
):
    block = session_block(given_entries, preambles=preambles, areas=areas, budget=budget)
    assert estimate(block.text) <= budget
    assert len(block.text.encode("utf-16-le")) // 2 <= MOST_UNITS
    shuffled = random.sample(given_entries, len(given_entries))
    again = session_block(shuffled, preambles=preambles, areas=areas, budget=budget)
    assert again.text == block.text
