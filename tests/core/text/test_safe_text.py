import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.text.safe_text import safe_line


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("bell\x07 back\x08 del\x7f", "bell␇ back␈ del␡"),
        ("c1 \x9b31m", "c1 �31m"),
        ("a\u202etxt.exe\u202c", "a�txt.exe�"),
        ("two\u2028lines", "two�lines"),
        ("one\nother\r", "one␊other␍"),
        ("tab\tstays a blank", "tab stays a blank"),
        ("half \ud800", "half �"),
    ],
)
def test_what_a_terminal_would_obey_or_a_reader_misread_is_made_visible(foreign, shown):
    assert safe_line(foreign) == shown


@pytest.mark.parametrize(
    "text", ["plain", "Grüße, 文書 🙂 שלום مرحبا", "a  b", "<b>&amp;</b> | `x`"]
)
def test_all_other_text_stays_as_it_is(text):
    assert safe_line(text) == text


@given(st.text(st.characters(exclude_categories=[])))
def test_the_result_is_one_line_that_any_output_can_hold(text):
    safe = safe_line(text)
    assert len(safe) == len(text)
    assert len(safe.splitlines()) <= 1
    json.dumps(safe, ensure_ascii=False).encode()
