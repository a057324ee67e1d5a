"""The structure of markdown: blocks, plain lines, cuts, against another parser too."""

import pytest
from hypothesis import given

from pit_memory.core.markdown import Block, parse
from pit_memory.core.text.html_text import html_names, without_tags
from tests.markdown_texts import markdown_texts

DOCUMENT = """\
---
title: Page
---
Some *text* in a
second line.

## Heading

- item
  1. inner

> [!WARNING]
> quoted

| a | b |
|---|---|
| c | d |

```py title="x"
code
```

    indented

<div>
html
</div>

[^1]: note

***
"""


def test_top_level_blocks_have_kind_lines_and_info() -> None:
    assert parse(DOCUMENT).blocks == (
        Block("paragraph", 4, 5),
        Block("heading", 7, 7),
        Block("list", 9, 10),
        Block("quote", 12, 13, "warning"),
        Block("table", 15, 17),
        Block("fence", 19, 21, 'py title="x"'),
        Block("code", 23, 23),
        Block("html", 25, 27),
        Block("footnote", 29, 29),
        Block("rule", 31, 31),
    )


def test_a_long_text_may_be_cut_where_blocks_items_and_rows_begin() -> None:
    assert parse(DOCUMENT).cuts == (4, 7, 9, 10, 12, 13, 15, 17, 19, 23, 25, 29, 31)


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("A *b* __c__ ~~d~~ `e` \\* &lt;", "A b c d e * <"),
        ("[text](https://example.org 'title') <https://example.org>", "text https://example.org"),
        ("[text][ref] [^1]", "text "),
        ("![alt *text*](x.png)", "alt text"),
        ("x<br>y<br/>z <kbd>k</kbd> <!-- no -->", "x y z k "),
        ("[[Page]] [[Page#Part|label]] ![[image.png]]", "Page label !image.png"),
        ("> quoted [a](b)", "quoted a"),
        ("- [x] done *now*", "done now"),
        ("7. seventh", "seventh"),
        ("```\nif [[ -f x ]]; then *y*\n```", "if [[ -f x ]]; then *y*"),
        ("    indented [a](b)", "indented [a](b)"),
        ("    \tindented", "\tindented"),
        ("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"),
    ],
)
def test_plain_text_is_what_a_reader_sees(line: str, plain: str) -> None:
    shown = parse(f"{line}\n\n[ref]: /u\n[^1]: n\n").plain
    assert "\n".join(row for row in shown[:-2] if row.strip()) == plain


def test_plain_lines_stand_where_their_lines_are() -> None:
    text = "a\n\n> b\n> c\n\n<div>\nd <b>e</b>\n<!-- x\ny\n-->\nf</div>\n\n1. g\n   ```\n   h\n"
    assert parse(text).plain == (
        *("a", "", "b", "c", "", "", "d e", "", "", "", "f", "", "g", "", "h"),
    )


def test_html_names_are_found_with_their_lines() -> None:
    text = (
        '<a id="one"></a>\n\ntext <span name=\'two\'>x</span>\n\n<div\n  id=three>\n<p id="four">\n'
        '</div>\n\n`<a id="code">` <a data-id="no" href="?id=no">\n'
    )
    assert parse(text).html_names == ((1, "one"), (3, "two"), (7, "four"))


@pytest.mark.parametrize(
    "text",
    ["<!--" * 20_000, "<a " * 20_000, '<a id="' * 20_000, "<" * 40_000, "<a" + " id" * 20_000],
    ids=lambda text: text[:8],
)
def test_broken_html_costs_linear_time(text: str) -> None:
    without_tags(text)
    assert html_names(text) == []


@given(markdown_texts)
def test_headings_are_those_of_another_commonmark_parser(text: str) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark", {"inline": False}).enable("table")
    parsed = parse(text)
    skip = parsed.front_matter.line_end if parsed.front_matter else 0
    tokens = parser.parse("\n".join(parsed.lines[skip:]))
    theirs = [
        (token.map[0] + 1 + skip, int(token.tag[1]), token.level > 0)
        for token in tokens
        if token.type == "heading_open"
    ]
    if not any(word in text for word in ("[^1]", "[!NOTE]", "\0")):  # GitHub's own blocks
        assert [(h.line_start, h.level, h.nested) for h in parsed.headings] == theirs
