"""Which patterns are taken, and what a text must hold for one to match."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.push.trigger_patterns import needed_text, why_refused, why_trigger_refused

HARMLESS = {
    r"git push.*--force": "git push",
    r"\bkubectl\s+delete\b": "kubectl",
    r"(^|[;&|]\s*)make deploy": "make deploy",
    r"docker (compose )?down": "docker ",
    r"(\d{1,3}\.){3}\d{1,3}": "",
    r"pip install(?!.*--require-hashes)": "pip install",
    r"(?i)drop table": "",
    r"a\.b\+c?": "a.b+",
    r"rm|unlink": "",
    r"[]+]x(ab)+yz": "yz",
    r"set{1": "set{1",
    r"colou?r": "colo",
    r"": "",
}
CATASTROPHIC = [
    *(r"(a+)+$", r"(a|a)*$", r"(a|aa)+$", r"(.*a){20}", r"(a?){30}a{30}", r"(\s*\w+\s*)*;"),
    *(r"((a+)b?)*", r"(?:x|y)+", r"(?P<n>a*)*", r"([a-z]+)*\d", r"((ab)+)+", r"(?i)(a+)+"),
]


@pytest.mark.parametrize(("pattern", "needed"), HARMLESS.items())
def test_a_harmless_pattern_is_taken_and_names_what_it_needs(pattern, needed):
    assert why_refused(pattern) is None
    assert needed_text(pattern) == needed


@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_a_pattern_that_may_take_for_ever_is_refused_with_the_part_that_does(pattern):
    refused = why_refused(pattern)
    assert refused is not None
    assert "repeats" in refused


@pytest.mark.parametrize(
    "pattern", ["(", "[", "*", "a{9999999999999999999}", "(?<=a+)b", "x" * 301, r"\1"]
)
def test_what_is_no_usable_expression_is_refused_with_a_reason(pattern):
    refused = why_refused(pattern)
    assert refused is not None
    assert "\n" not in refused


PARTS = [
    *("a", "b", r"\.", ".", "*", "+", "?", "{2}", "{0,1}", "{,2}", "(", "(?:", ")", "|", "[ab]"),
    *("^", "$", r"\b", "a b", "(?i)", r"\w"),
]


@given(st.lists(st.sampled_from(PARTS), max_size=8).map("".join), st.text("abAB. ", max_size=8))
def test_every_text_that_matches_holds_what_is_needed(pattern, text):
    if why_refused(pattern) is None and re.search(pattern, text, re.MULTILINE):
        assert needed_text(pattern) in text


@pytest.mark.parametrize("tool", ["", "Bash", "Edit|Write", "*", "mcp__github__*"])
def test_tools_are_named_as_the_host_names_them(tool):
    assert why_trigger_refused(tool, "") is None


@pytest.mark.parametrize("tool", ["Bash Edit", "|", "Bash|", "$(x)", "a;b", "`", "Bash\n"])
def test_anything_else_is_no_tool(tool):
    assert "trigger_tool" in (why_trigger_refused(tool, "") or "")
