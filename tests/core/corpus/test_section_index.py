import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.corpus.section_entries import Entry, lists_file, replaced, serialise
from pit_memory.core.corpus.section_index import (
    SHOWN_DRIFTS,
    build,
    drifts_from,
    short_diff,
    with_file,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "section_index"
INDEX = "knowledge/index.json"


def golden_files() -> dict[str, bytes]:
    paths = sorted(GOLDEN.rglob("*.md"))
    return {path.relative_to(GOLDEN).as_posix(): path.read_bytes() for path in paths}


def diff(files: dict[str, bytes], stored: bytes) -> list[str]:
    drifts = drifts_from(build(files).index, stored)
    return [line.strip() for line in short_diff(drifts, INDEX)]


def built(**files: str) -> bytes:
    return serialise(build({f"{name}.md": text.encode() for name, text in files.items()}).index)


def test_the_golden_corpus_gives_the_golden_index():
    assert serialise(build(golden_files()).index) == (GOLDEN / "index.json").read_bytes()


@given(st.dictionaries(st.text("abcé/.", min_size=1), st.binary(max_size=60), max_size=5))
def test_the_same_files_give_the_same_bytes_in_any_order(files: dict[str, bytes]):
    once = serialise(build(files).index)
    again = serialise(build(dict(reversed(files.items()))).index)
    assert once == again
    assert drifts_from(build(files).index, once) == ()


@given(st.dictionaries(st.text("ab/", min_size=1), st.binary(max_size=40), min_size=1, max_size=4))
def test_replacing_one_file_s_entries_equals_building_anew(files: dict[str, bytes]):
    path = next(iter(files))
    before = build({**files, path: b"## Old\n"}).index
    now = build(files).index
    without = build({known: data for known, data in files.items() if known != path}).index
    for old, new in ((before, now), (before, without), (without, now)):
        entries = new.get(path)
        assert serialise(with_file(old, path, entries)) == serialise(new)
        if old:
            assert replaced(serialise(old), path, entries) == serialise(new)
        assert lists_file(serialise(old), path) == (path in old)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5), min_size=1, max_size=4), st.text())
def test_replacing_in_the_bytes_gives_the_bytes_of_the_whole_or_says_that_it_cannot(
    headings: dict[str, str], path: str
):
    index = {name: {heading: Entry(heading, "a")} for name, heading in sorted(headings.items())}
    entries = {"New": Entry('With "quotes"', "new")}
    changed = replaced(serialise(index), path, entries)
    assert changed in {None, serialise(with_file(index, path, entries))}


@pytest.mark.parametrize(
    ("written", "edited"),
    [
        ('"anchor"', '"why": "because", "anchor"'),
        ("\n", "\r\n"),
        ("{\n  ", "<<<<<<< ours\n{\n  "),
        ('"One"', r'"\u004fne"'),
        ("a.md", "z.md"),
        ("}\n}\n", "}\n"),
        ("Two", "\ud800"),
    ],
)
def test_bytes_that_are_not_as_we_write_them_are_not_replaced_in(written: str, edited: str):
    stored = built(a="## One\n\nIts first sentence.\n", b="## Two\n")
    assert replaced(stored, "b.md", {}) is not None
    changed = stored.decode().replace(written, edited).encode("utf-8", "surrogatepass")
    assert changed != stored
    assert replaced(changed, "b.md", {}) is None


def test_an_empty_index_is_read_and_not_replaced_in():
    assert replaced(serialise({}), "a.md", {}) is None
    assert replaced(built(a=""), "a.md", None) == serialise({})


@given(
    st.dictionaries(
        st.text(max_size=5), st.dictionaries(st.text(max_size=5), st.tuples(st.text(), st.text()))
    )
)
def test_the_bytes_are_those_of_plain_json_with_two_spaces(
    plain: dict[str, dict[str, tuple[str, str]]],
):
    index = {
        path: {heading: Entry(*entry) for heading, entry in entries.items()}
        for path, entries in plain.items()
    }
    as_json = {
        path: {heading: {"summary": a, "anchor": b} for heading, (a, b) in entries.items()}
        for path, entries in plain.items()
    }
    expected = json.dumps(as_json, ensure_ascii=False, indent=2) + "\n"
    assert serialise(index) == expected.encode()


def test_paths_stand_in_code_point_order():
    index = build(dict.fromkeys(["b.md", "a/z.md", "Z.md", "é.md", "a.md"], b"")).index
    assert list(index) == ["Z.md", "a.md", "a/z.md", "b.md", "é.md"]


def test_lf_crlf_and_cr_give_the_same_index():
    text = "# T\n\n## One\n\nIts first sentence. More.\n"
    indexes = {
        serialise(build({"a.md": text.replace("\n", end).encode()}).index)
        for end in ("\n", "\r\n", "\r")
    }
    assert len(indexes) == 1
    assert b"\r" not in indexes.pop()


@given(st.lists(st.sampled_from(["A", "A (2)", "A (3)", "A (2) (2)", "B"]), max_size=12))
def test_every_heading_has_a_name_of_its_own_and_a_unique_one_keeps_it(headings: list[str]):
    text = "".join(f"## {heading}\n\n" for heading in headings)
    (entries,) = build({"a.md": text.encode()}).index.values()
    assert len(entries) == len(headings)
    assert all(heading in entries for heading in headings)
    assert len({entry.anchor for entry in entries.values()}) == len(headings)


def test_bytes_that_are_no_clean_text_are_indexed_and_reported():
    files = {
        "latin.md": "## Größe\n".encode("latin-1"),
        "binary.md": b"\x00\x01\x02\xff\n## Kept\n",
        "clean.md": b"## Clean\n",
    }
    found = build(files)
    assert {path: list(entries) for path, entries in found.index.items()} == {
        "binary.md": ["Kept"],
        "clean.md": ["Clean"],
        "latin.md": ["Größe"],
    }
    assert [problem.path for problem in found.problems] == ["binary.md", "latin.md"]
    json.loads(serialise(found.index))


def test_a_file_without_headings_is_listed_without_sections():
    assert json.loads(built(a="just text\n")) == {"a.md": {}}


STALE = [
    ("a new file", built(), ["+ a.md: 1 section"]),
    (
        "a file that is gone",
        built(a="## One\n\nx y z.\n", b="## X\n## Y\n"),
        ["- b.md: 2 sections"],
    ),
    ("a new section", built(a="# A\n"), ["+ a.md > One"]),
    ("a section that is gone", built(a="## One\n\nx y z.\n## Two\n"), ["- a.md > Two"]),
    (
        "another first sentence",
        built(a="## One\n\nOld one here.\n"),
        ["~ a.md > One: its first sentence changed"],
    ),
    (
        "another anchor",
        built(a="## One\n\nx y z.\n").replace(b'"anchor": "one"', b'"anchor": "uno"'),
        ["~ a.md > One: anchor uno is now one"],
    ),
    (
        "unknown keys",
        built(a="## One\n\nx y z.\n").replace(b'"summary"', b'"note": 1, "summary"'),
        [f"! {INDEX}: was edited by hand or written by another tool"],
    ),
    (
        "other white space",
        built(a="## One\n\nx y z.\n").replace(b"  ", b"    "),
        [f"! {INDEX}: was edited by hand or written by another tool"],
    ),
    ("no entries", b'{"a.md": {"One": 3}}', ["+ a.md > One"]),
    ("a list", b"[]", [f"! {INDEX}: is not a JSON object"]),
    (
        "conflict markers",
        b"<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
        [f"! {INDEX}: holds conflict markers of a merge"],
    ),
]


@pytest.mark.parametrize(
    ("stored", "lines"), [row[1:] for row in STALE], ids=[row[0] for row in STALE]
)
def test_a_stale_index_is_told_by_a_short_diff(stored: bytes, lines: list[str]):
    assert diff({"a.md": b"## One\n\nx y z.\n"}, stored) == lines


def test_an_index_that_is_no_json_says_where_it_breaks():
    (line,) = diff({"a.md": b""}, b'{"a.md": ')
    assert line.startswith(f"! {INDEX}: is not JSON (Expecting value: line 1")


def test_other_order_of_files_or_sections_is_stale():
    files = {"a.md": b"## One\n## Two\n", "b.md": b""}
    plain = json.loads(serialise(build(files).index))
    turned = {"b.md": plain["b.md"], "a.md": plain["a.md"]}
    assert diff(files, (json.dumps(turned, indent=2) + "\n").encode()) == [
        f"! {INDEX}: lists its files in another order"
    ]
    turned = {"a.md": dict(reversed(plain["a.md"].items())), "b.md": {}}
    assert diff(files, (json.dumps(turned, indent=2) + "\n").encode()) == [
        "~ a.md: its sections stand in another order"
    ]


def test_an_index_checked_out_with_crlf_is_fresh():
    files = {"a.md": b"## One\n"}
    assert diff(files, serialise(build(files).index).replace(b"\n", b"\r\n")) == []


def test_a_long_diff_is_cut_and_says_how_much_is_left():
    files = {f"{number}.md": b"" for number in range(SHOWN_DRIFTS + 3)}
    lines = diff(files, b"{}\n")
    assert len(lines) == SHOWN_DRIFTS + 1
    assert lines[-1] == "... and 3 more"


@given(st.binary(max_size=60))
def test_no_index_file_breaks_the_comparison(data: bytes):
    drifts_from(build({"a.md": b"## One\n"}).index, data)
