"""Citations: what is printed is read back, whatever files are called."""

import os
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.citations import Ref, format_ref, parse_ref
from pit_memory.core.text.identity import section_hash
from pit_memory.errors import RefError

file_names = st.binary(min_size=1, max_size=40).map(os.fsdecode)
"""Any name a file system can hold, as Python's file functions spell it."""
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
lines = st.tuples(st.integers(1, 10**6), st.integers(0, 10**3)).map(lambda p: (p[0], p[0] + p[1]))
hashes = st.none() | st.text("0123456789abcdef", min_size=8, max_size=8)
places: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"anchor": names}),
    st.fixed_dictionaries({"lines": lines}),
)
refs = st.builds(
    lambda path, source, place, cited: Ref(path=path, source=source, hash=cited, **place),
    file_names | names,
    st.none() | names,
    places,
    hashes,
)
pdf_refs = st.builds(
    lambda path, page, anchor, cited: Ref(
        path=f"{path}.pdf", page=page, anchor=None if page else anchor, hash=cited
    ),
    file_names,
    st.none() | st.integers(1, 10**6),
    names | st.integers(1, 99).map(lambda n: f"p{n}"),
    hashes,
)


@given(refs | pdf_refs)
def test_a_ref_is_one_token_and_is_read_back(ref: Ref) -> None:
    written = format_ref(ref)
    assert parse_ref(written) == ref
    assert written.split() == [written]
    assert written.isprintable()


@given(refs | pdf_refs)
def test_composing_the_unicode_of_a_ref_does_not_change_what_it_names(ref: Ref) -> None:
    pasted = unicodedata.normalize("NFC", format_ref(ref))
    assert parse_ref(pasted) == ref


@pytest.mark.parametrize(
    ("ref", "written"),
    [
        (Ref("docs/a.md"), "docs/a.md"),
        (Ref("docs/a.md", anchor="set-up", hash="3fa9c1d2"), "docs/a.md#set-up@3fa9c1d2"),
        (Ref("docs/a.md", lines=(40, 58)), "docs/a.md:L40-L58"),
        (Ref("docs/a.md", lines=(40, 40)), "docs/a.md:L40"),
        (Ref("a.pdf", source="papers", page=3), "papers::a.pdf#p3"),
        (Ref("de.md", anchor="p3"), "de.md#p3"),
        (Ref("0123456789abcdef", source="facts"), "facts::0123456789abcdef"),
        (Ref("C# & me@work: 100 %.md"), "C%23%20&%20me%40work%3A%20100%20%25.md"),
        (Ref("two\nlines.md"), "two%0Alines.md"),
        (Ref("über.md", anchor="größe"), "über.md#größe"),
        (Ref("u\u0308ber.md"), "u%CC%88ber.md"),
        (Ref("left\u202eright.md"), "left%E2%80%AEright.md"),
        (Ref("bytes\udcff.md"), "bytes%FF.md"),
        (Ref("a.md", anchor="L5"), "a.md#%4C5"),
    ],
)
def test_refs_are_written_as_people_expect(ref: Ref, written: str) -> None:
    assert format_ref(ref) == written
    assert parse_ref(written) == ref


@pytest.mark.parametrize(
    ("written", "ref"),
    [
        ("  docs/a.md#x ", Ref("docs/a.md", anchor="x")),
        ("docs/my file.md#x", Ref("docs/my file.md", anchor="x")),
        ("docs/a.md:L4-9", Ref("docs/a.md", lines=(4, 9))),
        ("docs/a.md#L4-L9", Ref("docs/a.md", lines=(4, 9))),
        ("docs/a.md#", Ref("docs/a.md")),
        ("me@work.md", Ref("me@work.md")),
        ("a.md@3FA9C1D2", Ref("a.md", hash="3fa9c1d2")),
        ("a.md@" + "3fa9c1d2" * 8, Ref("a.md", hash="3fa9c1d2")),
        ("C#.md#x", Ref("C#.md", anchor="x")),
        ("100%.md", Ref("100%.md")),
        ("a.md#%zz", Ref("a.md", anchor="%zz")),
    ],
)
def test_what_people_and_agents_type_is_read_kindly(written: str, ref: Ref) -> None:
    assert parse_ref(written) == ref


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "no path"),
        ("#anchor", "no path"),
        ("docs::", "no path"),
        ("@3fa9c1d2", "no path"),
        ("a.md:L9-L4", ":L4-L9"),
        ("a.md:L0", "count from 1"),
        ("a.md:L" + "9" * 5000, "count from 1"),
        ("a.pdf#p0", "count from 1"),
        ("a.md@3fa9", "4 digits"),
        ("a.md#x:L4", "one of them"),
    ],
)
def test_a_ref_that_names_nothing_says_what_is_wrong(written: str, said: str) -> None:
    with pytest.raises(RefError, match=said):
        parse_ref(written)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        ref = parse_ref(text)
    except RefError:
        return
    assert ref.path


def test_a_section_hash_is_known() -> None:
    assert section_hash(["# Title", "", "Text"]) == "594f76ae"
