"""The links of a document, and where their targets are written."""

from dataclasses import replace

import pytest

from pit_memory.core.documents.links import Written, links_of, links_within, with_targets
from pit_memory.core.documents.sections import split
from pit_memory.core.text.decoding import lines_of

PAGE = """\
---
title: see [none](front.md)
---
é [a](one.md#x "T") ![b](two.png) [[Note#H|alias]] `[c](no.md)`
[d][ref], [e](<with space.md>), <https://a.example>, [![f](g.png)](h.md)

```md
[no](fence.md)
```

[ref]: three.md
<a href="four.md">x</a> <img alt="" src='five.png'>
"""


def test_every_form_of_link_is_found_with_the_place_of_its_target():
    lines = lines_of(PAGE)
    found = [
        (link.kind, link.target, link.line, lines[place.line - 1][place.start : place.end])
        for link in links_of(PAGE)
        if (place := link.written)
    ]
    assert found == [
        ("link", "one.md#x", 4, "one.md#x"),
        ("image", "two.png", 4, "two.png"),
        ("wikilink", "Note#H", 4, "Note#H"),
        ("link", "three.md", 5, "three.md"),
        ("link", "with space.md", 5, "with space.md"),
        ("link", "h.md", 5, "h.md"),
        ("image", "g.png", 5, "g.png"),
        ("link", "four.md", 12, "four.md"),
        ("image", "five.png", 12, "five.png"),
    ]


@pytest.mark.parametrize("text", [PAGE, PAGE.replace("[[Note#H|alias]]", "")])
def test_a_document_that_is_parsed_already_gives_the_same_links_without_places(text: str):
    placeless = [replace(link, written=None) for link in links_of(text)]
    assert placeless
    assert list(links_within(split(text))) == placeless


def test_links_in_html_alone_are_found():
    text = "# A\n\n<p>\n<a\n href='b.md'>x</a> <a href='c.md'>y</a>\n</p>\n\nz <a href=\"d.md\">\n"
    found = [(link.target, link.line) for link in links_within(split(text))]
    assert found == [("c.md", 5), ("d.md", 8)]


def test_a_target_that_is_not_written_as_it_is_read_has_no_place():
    (link,) = links_of("[a](b&amp;c.md)")
    assert (link.target, link.written) == ("b&c.md", None)


@pytest.mark.parametrize(
    ("text", "is_local"),
    [
        ("[a](b.md)", True),
        ("[a](#here)", True),
        ("[a](https://x.example/b.md)", False),
        ("[a](//x.example/b.md)", False),
        ("[a](mailto:x@y.example)", False),
        ("[a]({{base}}/b.md)", False),
        ("[a](two%20words.md)", True),
        ("[a](<two words.md>)", True),
        ("[a]()", False),
        ("[[Two words]]", True),
    ],
)
def test_links_to_the_web_and_of_templates_are_not_local(text: str, is_local: bool):
    assert [link.is_local for link in links_of(text)] == [is_local]


def test_targets_of_one_line_are_replaced_without_disturbing_each_other():
    lines = ["[a](b.md) and [c](d.md)"]
    first, second = (link.written for link in links_of(lines[0]))
    assert isinstance(first, Written)
    assert isinstance(second, Written)
    changed = with_targets(lines, {first: "longer/b.md", second: "d2.md"})
    assert changed == ["[a](longer/b.md) and [c](d2.md)"]
