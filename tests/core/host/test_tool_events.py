import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.host.tool_events import parse_event

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=3), st.text(), st.booleans())
def test_a_call_is_read_as_the_host_wrote_it(
    tool_input: dict[str, object], command: str, plain: bool
):
    sent = {"tool_name": "Bash", "tool_input": {**tool_input, "command": command}}
    event = parse_event(f" {json.dumps(sent, ensure_ascii=plain)}\n")
    assert event is not None
    assert (event.tool, event.command) == ("Bash", command)


@given(st.text(max_size=12) | values.map(json.dumps))
def test_what_is_no_object_is_no_event(text: str):
    try:
        is_event = isinstance(json.loads(text), dict)
    except ValueError:
        is_event = False
    assert (parse_event(text) is not None) == is_event


@pytest.mark.parametrize("text", ["", " ", "{", '{"a":1} x', '{"a":1}{}', "nul", "[" * 100_000])
def test_what_is_not_json_is_no_event(text: str):
    assert parse_event(text) is None


def test_numbers_that_are_none_in_json_are_read_as_python_reads_them():
    assert parse_event('{"x": NaN, "y": -Infinity, "cwd": "/p"}').directory == "/p"
