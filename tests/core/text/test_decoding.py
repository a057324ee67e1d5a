"""Decoding: every file becomes text, whatever its bytes are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.text.decoding import decode, line_end_of, lines_of, with_lf

TEXT = "# Größe\n\nEin Satz \N{EN DASH} mit Strich.\n中文 😀\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (TEXT.encode("utf-16"), "utf-16-le"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.encode().replace(b"\n", b"\r\n"), "utf-8"),
        (TEXT.encode().replace(b"\n", b"\r"), "utf-8"),
        (TEXT.encode("utf-16").replace(b"\n\0", b"\r\0\n\0"), "utf-16-le"),
    ],
    ids=["plain", "bom", "utf-16", "utf-16 big", "crlf", "lone cr", "utf-16 crlf"],
)
def test_the_same_text_in_any_dress_reads_the_same(data: bytes, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.problem) == (TEXT, encoding, None)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_zero_bytes(encoding: str) -> None:
    text = "# Title\n\nA sentence.\n"
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding, decoded.problem) == (text, encoding, None)


def test_latin_1_is_read_and_reported_with_its_line() -> None:
    decoded = decode("# Titel\n\nGröße “so”\n".encode("windows-1252"))
    assert decoded.text == "# Titel\n\nGröße “so”\n"
    assert decoded.encoding == "windows-1252"
    assert decoded.problem is not None
    assert "line 3" in decoded.problem


def test_a_broken_byte_in_utf_8_costs_that_byte_alone() -> None:
    decoded = decode("# 标题\n\n正文".encode() + b"\xe6\xad" + "继续\n".encode())
    assert decoded.text == "# 标题\n\n正文\N{REPLACEMENT CHARACTER}继续\n"
    assert decoded.encoding == "utf-8"
    assert decoded.problem is not None
    assert "line 3 (1 in all)" in decoded.problem


def test_nul_bytes_are_replaced_and_reported() -> None:
    decoded = decode(b"# Ti\0tle\n")
    assert decoded.text == "# Ti\N{REPLACEMENT CHARACTER}tle\n"
    assert decoded.problem is not None
    assert "NUL" in decoded.problem


def test_half_a_utf_16_character_is_reported_not_raised() -> None:
    decoded = decode(b"\xff\xfea\0b\0\xff")
    assert decoded.text == "ab\N{REPLACEMENT CHARACTER}"
    assert decoded.problem is not None


@given(st.binary())
def test_any_bytes_become_text_of_lf_lines(data: bytes) -> None:
    decoded = decode(data)
    assert "\r" not in decoded.text
    assert "\0" not in decoded.text
    decoded.text.encode()  # no lone surrogates: every later step encodes


@pytest.mark.parametrize(
    ("text", "end"),
    [("", "\n"), ("a", "\n"), ("a\nb", "\n"), ("a\r\nb", "\r\n"), ("a\rb", "\r"), ("a\rb\n", "\n")],
)
def test_a_text_is_written_again_with_its_own_line_ends(text: str, end: str) -> None:
    assert line_end_of(text) == end


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_clean_utf_8_is_its_own_text(text: str) -> None:
    clean = text.replace("\0", "").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    assert decode(clean.encode()).text == with_lf(clean)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("\n", [""])],
)
def test_a_final_line_end_opens_no_line(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_only_lf_ends_a_line() -> None:
    assert lines_of("a\u2028b\x0bc\x0cd\x85e\n") == ["a\u2028b\x0bc\x0cd\x85e"]
