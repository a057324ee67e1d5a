"""The hooks' front matter reader against PyYAML."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.front_matter.scalars import quote_scalar, read_scalars

ODD_PARTS = [
    *(
        ":",
        ": ",
        ",",
        " ",
        "\n",
        "\n  ",
        "'",
        '"',
        "''",
        "\\",
        "\\n",
        "\\x41",
        "\\u00e9",
        "\\ud800",
    ),
    *("\\U0001F600", "#", " #", "-", "- ", "?", "[", "]", "{", "}", "&", "*", "!", "|", ">", "%"),
    *("@", "`", "=", "<<", "~", "\t", "\x85", "\u2028", "\xa0", "\ufeff", "😀", "\x7f", "---"),
]
PLAIN_PARTS = ["a", "word", "é", "yes", "null", "1", "1:20", "2026-01-01", "a-b", "x_y", " "]
KEYS = ["name", "description", "metadata", "type", "x-y", "_a", "yes"]
plain_values = st.lists(st.sampled_from(PLAIN_PARTS), max_size=4).map("".join)
values = st.one_of(
    plain_values,
    plain_values.map(lambda text: f"'{text}'"),
    plain_values.map(lambda text: f'"{text}" # why'),
    st.lists(st.sampled_from([*ODD_PARTS, *PLAIN_PARTS]), max_size=5).map("".join),
)
fields = st.builds(
    "{}{}:{}{}".format,
    st.sampled_from(["", "", "  "]),
    st.sampled_from(KEYS),
    st.sampled_from([" ", " ", "  ", ""]),
    values,
)


def by_yaml(text: str) -> dict[str, str]:
    """What PyYAML reads, every scalar as text, nested keys dotted."""
    loaded = yaml.load(text, Loader=yaml.BaseLoader) or {}  # noqa: S506 - it makes text only
    flat = {}
    for key, value in loaded.items():
        flat[key] = "" if isinstance(value, dict) else value
        if isinstance(value, dict):
            flat |= {f"{key}.{name}": inner for name, inner in value.items()}
    return flat


@given(st.lists(fields | values | st.just("  # a comment"), max_size=5).map("\n".join))
def test_what_is_read_without_a_problem_is_what_yaml_reads(text):
    if not {"---", "..."}.isdisjoint(line.rstrip(" ") for line in text.split("\n")):
        return
    read = read_scalars(["---", *text.split("\n"), "---"])
    if not read.problems:
        assert read.values == by_yaml(text)


@given(st.text(st.characters(codec="utf-8")))
def test_a_quoted_scalar_is_read_back_by_both(value):
    line = f"key: {quote_scalar(value)}"
    assert "\n" not in line
    assert read_scalars(["---", line, "---"]) == ({"key": value}, 4, ())
    assert yaml.safe_load(line) == {"key": value}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: plain words", "plain words"),
        ("a: it's # not a comment? it is", "it's"),
        ("a: 'it''s'", "it's"),
        (r'a: "tab\tand \"quote\" \u00e9 \U0001F600"', 'tab\tand "quote" é 😀'),
        ("a:", ""),
        ("a:   # nothing", ""),
        ("a: -x", "-x"),
        ("a: c#", "c#"),
        ("a: git: push", "git: push"),
        ("a: [list]", "[list]"),
        ("a: 'open", "open"),
    ],
)
def test_a_value_is_what_a_person_takes_it_for(line, value):
    assert read_scalars(["---", line, "---"]).values == {"a": value}


@pytest.mark.parametrize(
    "line",
    [
        *(
            "a: git: push",
            "a: [list]",
            "a: 'open",
            'a: "\\q"',
            "a: b\tc",
            "a: >",
            "- a",
            "a",
            "a:b",
        ),
        *("  a: b", "yes: 1", "a: \x07", "a: @b", "'a': b", "# \x07"),
    ],
)
def test_what_yaml_might_read_otherwise_is_a_problem_with_its_line(line):
    assert [number for number, _ in read_scalars(["---", line, "---", "body"]).problems] == [2]


def test_a_repeated_key_is_told_and_the_last_one_counts():
    read = read_scalars(["---", "a: 1", "m:", "  a: 2", "a: 3", "---"])
    assert read.values == {"a": "3", "m": "", "m.a": "2"}
    assert [number for number, _ in read.problems] == [5]


def test_front_matter_that_is_not_closed_is_told():
    assert read_scalars(["---", "a: 1"]).problems[0][0] == 1
    assert read_scalars(["# No front matter", "a: 1"]) == ({}, 1, ())
    assert read_scalars([""]).values == {}
