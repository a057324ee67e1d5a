"""Links after a document has moved, in the style that each was written in."""

import pytest

from pit_memory.core.documents.moved_links import Move, rewrite_links_to, rewrite_own_links

THERE = {"docs/a.md", "docs/ops/b.md", "docs/ops/index.md", "docs/img/x.png", "docs/_drafts/d.md"}
MOVE = Move("docs/_drafts/d.md", "docs/reference/net/d.md", {})


def own(text: str, move: Move = MOVE) -> str:
    rewritten = rewrite_own_links(text.split("\n"), move, THERE.__contains__, "docs")
    return "\n".join(rewritten.lines)


def to(text: str, path: str = "docs/ops/b.md", move: Move = MOVE) -> str:
    rewritten = rewrite_links_to(text.split("\n"), path, move, THERE.__contains__, "docs")
    return "\n".join(rewritten.lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[x](../a.md#s)", "[x](../../a.md#s)"),
        ("![x](../img/x.png)", "![x](../../img/x.png)"),
        ("[x](../ops/b)", "[x](../../ops/b)"),
        ("[x](../ops/)", "[x](../../ops/)"),
        ("[x](d.md#own)", "[x](d.md#own)"),
        ("[x](#own)", "[x](#own)"),
        ("[x](/a.md)", "[x](/a.md)"),
        ("[x](gone.md)", "[x](gone.md)"),
        ("[x](https://x.example/../a.md)", "[x](https://x.example/../a.md)"),
        ("`[x](../a.md)`", "`[x](../a.md)`"),
        ("[x][r]\n\n[r]: ../a.md", "[x][r]\n\n[r]: ../../a.md"),
        ('<img src="../img/x.png">', '<img src="../../img/x.png">'),
        ("[[b]]", "[[b]]"),
    ],
)
def test_a_document_that_moves_keeps_leading_where_it_led(before, after):
    assert own(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[x](../_drafts/d.md#s)", "[x](../reference/net/d.md#s)"),
        ("[x](../_drafts/d)", "[x](../reference/net/d)"),
        ("[x](../../_drafts/d/)", "[x](../../reference/net/d/)"),
        ("[x](/_drafts/d.md)", "[x](/reference/net/d.md)"),
        ("[[d]] [[_drafts/d|see]]", "[[d]] [[reference/net/d|see]]"),
        ("Read docs/_drafts/d.md#s@0123abcd.", "Read docs/reference/net/d.md#s@0123abcd."),
        ("`docs/_drafts/d.md:L3-L4`", "`docs/reference/net/d.md:L3-L4`"),
        ("not docs/_drafts/d.mdx or old/docs/_drafts/d.md", None),
        ("[x](../a.md)", None),
        ("[x](https://x.example/docs/_drafts/d.md)", None),
    ],
)
def test_what_leads_to_it_leads_to_its_new_place(before, after):
    assert to(before) == (before if after is None else after)


def test_a_document_that_became_a_section_is_linked_as_one():
    move = Move("docs/_drafts/d.md", "docs/a.md", {"d": "d", "setup": "setup-1"}, "d")
    assert to("[x](../_drafts/d.md) [y](../_drafts/d.md#setup) [[d]]", move=move) == (
        "[x](../a.md#d) [y](../a.md#setup-1) [[a#d]]"
    )


def test_a_link_that_is_written_in_a_way_of_its_own_is_named():
    there = THERE | {"docs/_drafts/d&e.md"}
    move = Move("docs/_drafts/d&e.md", "docs/reference/x.md", {})
    lines = ["# A", "", "[x](../_drafts/d&amp;e.md)"]
    rewritten = rewrite_links_to(lines, "docs/ops/b.md", move, there.__contains__, "docs")
    assert (rewritten.changed, rewritten.missed) == ((), (3,))
