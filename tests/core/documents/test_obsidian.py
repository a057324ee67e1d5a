"""Obsidian's additions to markdown: what is shown, what is tagged, what can be cited."""

import pytest

from pit_memory.core.documents.obsidian import read_note


@pytest.mark.parametrize(
    ("text", "gone", "stays"),
    [
        ("a %%gone%% b", ["gone"], ["a ", " b"]),
        ("a\n%%\ngone\n\ngone\n%%\nb", ["gone"], ["a\n", "\nb"]),
        ("a %% gone to the end", ["gone"], ["a "]),
        ("`%%` stays %%gone%%", ["gone"], ["`%%`", "stays"]),
        ("```\n%% stays %%\n```\n%%gone%%", ["gone"], ["%% stays %%"]),
        ("~~~\n%% stays\n~~~\nb %%gone%%", ["gone"], ["%% stays", "b "]),
        ("> [!warning]- Beware\n> of apes", ["[!warning]-"], ["Beware", "of apes"]),
        ("> > [!note] Inner", ["[!note]"], ["> > ", "Inner"]),
        ("text ^block-1", ["^block-1"], ["text"]),
        ("2^10 and x^2", [], ["2^10 and x^2"]),
        ("see ![[ape.png]]", ["![["], ["[[ape.png]]"]),
        ("---\na: '%% stays %%'\n---\nb", [], ["%% stays %%"]),
    ],
)
def test_what_is_no_text_is_not_parsed_and_no_line_moves(text, gone, stays):
    parsed = read_note(text).parsed
    assert parsed.count("\n") == text.count("\n")
    assert not [it for it in gone if it in parsed]
    assert not [it for it in stays if it not in parsed]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see ![[ape.png]]", "see ![[ape.png]]"),
        ("> [!warning]- Beware", "> [!warning]- Beware"),
        ("text ^block-1", "text ^block-1"),
        ("a %%gone for good%% b %%too%%", "a … b …"),
        ("a %%gone\ngone%% ![[b]]\n%%gone%%", "a …\n… ![[b]]\n        "),
        ("`%%` stays", "`%%` stays"),
    ],
)
def test_a_line_is_shown_as_it_stands_and_a_gap_where_a_comment_is_left_out(text, shown):
    assert read_note(text).shown == shown


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#ape and #ape/gibbon", ("ape", "ape/gibbon")),
        ("#äffchen #日本 #a-b_c #🦧", ("äffchen", "日本", "a-b_c", "🦧")),
        ("#1984 #y1984", ("y1984",)),
        ("# Heading\n## Other", ()),
        ("a#b https://x.y/#z `#code`", ()),
        ("```\n#code\n```\n#real.", ("real",)),
        ("%% #hidden %% #seen", ("seen",)),
        ("- [ ] #task do it", ("task",)),
    ],
)
def test_tags_in_the_text_are_tags(text, tags):
    assert read_note(text).tags == tags


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("one\ntwo ^a", ("^a", 1, 2)),
        ("x\n\none\ntwo\n^a", ("^a", 3, 5)),
        ("- one\n- two ^a\n- three", ("^a", 2, 2)),
        ("- one\n  more ^a", ("^a", 1, 2)),
        ("| a |\n|---|\n| 1 |\n\n^a", ("^a", 1, 5)),
        ("> quote\n> more\n\n^a", ("^a", 1, 4)),
        ("```\ncode\n```\n^a", ("^a", 1, 4)),
        ("# Heading ^a", ("^a", 1, 1)),
        ("# Heading\ntext ^a", ("^a", 2, 2)),
    ],
)
def test_a_block_is_the_lines_that_its_id_stands_behind(text, place):
    (found,) = read_note(text).places
    assert (found.name, found.line_start, found.line_end) == place
