"""The rules of the doc standard, one document at a time."""

import pytest

from pit_memory.core.doc_standard import check_front_matter, check_structure
from pit_memory.core.documents.sections import split
from pit_memory.core.settings.lint_rules import RULES, RULES_OFF

FACT = "The gateway listens on port 8443 and restarts nightly.\n"


def findings(text: str, longest: int = 100) -> list[tuple[int, str]]:
    found = check_structure("a.md", split(text), None, longest)
    return [(problem.line, problem.rule) for problem in found]


@pytest.mark.parametrize(
    "heading",
    ["Overview", "Notes", "Misc", "3", "2.", "Step 4", "1. Introduction", "*Summary*:", "#7", "IV"],
)
def test_a_heading_that_names_no_subject_is_vague(heading: str):
    assert findings(f"# Gateway\n\n## {heading}\n\n{FACT}") == [(3, "vague-heading")]


@pytest.mark.parametrize("heading", ["Notes on ports", "Version 2.4", "2.4.1", "HTTP 404", "Mix"])
def test_a_heading_that_names_one_is_not(heading: str):
    assert findings(f"# Gateway\n\n## {heading}\n\n{FACT}") == []


def test_a_heading_without_text_of_its_own_is_found_also_above_others():
    text = f"# Gateway\n\n## Ports\n\n### Public port\n\n{FACT}\n## Logs\n\n<!-- none -->\n"
    assert findings(text) == [(3, "empty-section"), (9, "empty-section")]


@pytest.mark.parametrize("body", ["```sh\nmake undo\n```\n", "| a | b |\n|--|--|\n| port | 1 |\n"])
def test_code_and_tables_are_text(body: str):
    assert findings(f"# Gateway\n\n## Roll back\n\n{body}") == []


def test_bodies_have_bounds():
    long = "The port is one of many facts here. " * 20
    text = f"# Gateway\n\n## Short one\n\nSee it.\n\n## Long one\n\n{long}\n"
    assert findings(text) == [(3, "short-section"), (7, "long-section")]


def test_a_repeated_heading_names_the_first_and_its_moving_anchor():
    text = f"# Gateway\n\n## Ports\n\n{FACT}\n### ports\n\n{FACT}"
    (problem,) = check_structure("a.md", split(text), None)
    assert (problem.line, problem.rule) == (7, "duplicate-heading")
    assert "line 3" in problem.message
    assert "#ports-1" in problem.message


def test_a_document_needs_a_title_somewhere():
    assert findings(f"## Ports\n\n{FACT}") == [(1, "no-title")]
    assert list(check_structure("a.md", split(f"## Ports\n\n{FACT}"), "Gateway")) == []
    assert findings("") == []


def test_keys_of_the_front_matter_hold_what_they_take():
    lines = ["---", "title: X", "draft: maybe", "review_after: soon", "audience: all", "---"]
    values = {"title": "X", "draft": "maybe", "review_after": "soon", "audience": "all"}
    found = list(check_front_matter("a.md", values, lines))
    assert [(problem.line, problem.rule) for problem in found] == [
        (3, "front-matter"),
        (5, "front-matter"),
        (4, "front-matter"),
    ]
    assert "write true or false" in found[0].message
    fine = {"tags": ["a"], "aliases": None, "review_after": "2027-01-31", "source_url": "https://x"}
    assert list(check_front_matter("a.md", fine, [])) == []


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"rule": "long-sections", "reason": "x"}, "long-sections"),
        ({"rule": "long-section"}, "reason"),
        ({"rule": "long-section", "reason": " "}, "reason"),
        ({"rule": "long-section", "why": "x"}, "why"),
    ],
)
def test_a_rule_is_switched_off_by_its_name_and_with_a_reason(table, named):
    with pytest.raises(ValueError, match=named):
        RULES_OFF.read([table])
    (off,) = RULES_OFF.read([{"rule": "long-section", "reason": "generated", "paths": ["a/"]}])
    assert (off.rule, off.reason, off.paths) == ("long-section", "generated", ("a/",))
    assert off.rule in RULES
