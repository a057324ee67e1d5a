import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.corpus.citation_gate import CitedFile, CitedProject, ProseFile, check_citations
from pit_memory.core.corpus.corpora import DEFAULT_RULES

UPGRADES = CitedFile(("pinning-the-client", "why", "größe"), frozenset({"pin"}))
REVIEW = CitedFile(("steps", "output-format"))
EMPTY = CitedFile(())
OTHER_RUBRIC = CitedFile(("weights",))

HERE = CitedProject(
    "toolbox",
    DEFAULT_RULES,
    {
        "": {
            "knowledge/upgrades.md": UPGRADES,
            "knowledge/empty.md": EMPTY,
            "knowledge/two words.md": UPGRADES,
            "skills/review/SKILL.md": REVIEW,
        },
        "plugins/other": {"knowledge/rubric.md": OTHER_RUBRIC},
        "plugins/bare": None,
    },
)
SECURITY = CitedProject(
    "security", DEFAULT_RULES, {"": {"knowledge/owasp.md": CitedFile(("a03",))}}
)


def check(text: str, path: str = "agents/x.md", root: str = "") -> list[tuple[int, str, str]]:
    files = [ProseFile(path, root, text.split("\n"))]
    existing = {"docs/knowledge/ordinary.md"}
    problems = check_citations(files, HERE, [SECURITY], existing.__contains__)
    return [(problem.line, problem.rule, problem.message) for problem in problems]


HOLDING = [
    "Read knowledge/upgrades.md#pinning-the-client first.",
    "Read `knowledge/upgrades.md#why`.",
    "Read **knowledge/upgrades.md#why**, then go on.",
    "@knowledge/upgrades.md#why",
    "@./knowledge/upgrades.md#why",
    "Read ./knowledge/upgrades.md#why",
    "Read ../knowledge/upgrades.md#why",
    "Read ${CLAUDE_PLUGIN_ROOT}/knowledge/upgrades.md#why",
    "Read $CLAUDE_PROJECT_DIR/knowledge/upgrades.md#why",
    "@${CLAUDE_PLUGIN_ROOT}/skills/review/SKILL.md#steps",
    "See [upgrades](../knowledge/upgrades.md#why).",
    "See [upgrades](knowledge/upgrades.md#why).",
    "See [upgrades](/knowledge/upgrades.md#why).",
    'See [upgrades](../knowledge/upgrades.md#why "Title").',
    "See [two words](<../knowledge/two words.md#why>).",
    "See [two words](../knowledge/two%20words.md#why).",
    "See [`knowledge/upgrades.md`](../knowledge/upgrades.md#why).",
    "See [wrapped\ntext](../knowledge/upgrades.md#why).",
    "See [![Badge](b.svg)](../knowledge/upgrades.md#why).",
    "[ref]: ../knowledge/upgrades.md#why",
    "See [[upgrades#Why?]].",
    "See [[knowledge/upgrades#Pinning the client|pins]].",
    "See [[upgrades.md#Upgrades#Why?]].",
    "See ![[upgrades#why]].",
    "Custom ids count: knowledge/upgrades.md#pin",
    "Encoded: [x](../knowledge/upgrades.md#gr%C3%B6%C3%9Fe) and knowledge/upgrades.md#größe",
    "A sentence's end: knowledge/upgrades.md#why.",
    "(knowledge/upgrades.md#why)",
    "A file without sections: knowledge/empty.md",
    "plugins/other/knowledge/rubric.md#weights",
    "other/knowledge/rubric.md#weights",
    "../plugins/other/knowledge/rubric.md#weights",
    "security/knowledge/owasp.md#a03",
    "../../security/knowledge/owasp.md#a03",
    "https://github.com/acme/security/blob/main/knowledge/owasp.md#a03",
    "https://gitlab.example/group/sub/security/-/blob/main/knowledge/owasp.md#a03",
    "https://github.com/acme/toolbox/blob/v1/knowledge/upgrades.md#why",
    "https://github.com/acme/unknown/blob/main/knowledge/x.md",
    "https://example.org/knowledge/upgrades.md",
    "Whole-file load: every section of knowledge/upgrades.md applies.",
    "**Whole-file load:** all of `knowledge/upgrades.md` is short.",
    "knowledge/upgrades.md\nWhole-file load: it is short enough",
    "- knowledge/upgrades.md (Whole-file load: it is short enough)",
    "Whole-file load: these two are short.\n- knowledge/upgrades.md\n- skills/review/SKILL.md",
    "| knowledge/upgrades.md | Whole-file load: it is short |",
    "```\ncat knowledge/upgrades.md\n```",
    "- item\n\n  ~~~sh\n  cat knowledge/upgrades.md\n  ~~~\n",
    "Placeholders: knowledge/<name>.md, skills/*/SKILL.md, knowledge/{a,b}.md, <x>/knowledge/a.md",
    "Placeholder: knowledge/upgrades.md#<anchor>",
    "Not a corpus file: docs/guide.md, knowledge/index.json, SKILL.md, docs/knowledge/ordinary.md",
    "Not a path: e.g. this, v1.20.0, example.com/path, foo@example.org",
    "[[Some note]] and [text](#local) and [mail](mailto:a@b.org)",
]

BROKEN = [
    ("Read knowledge/upgrades.md first.", "no-anchor"),
    ("Read `knowledge/upgrades.md`.", "no-anchor"),
    ("@knowledge/upgrades.md", "no-anchor"),
    ("[x](../knowledge/upgrades.md)", "no-anchor"),
    ("[[upgrades]]", "no-anchor"),
    ("knowledge/upgrades.md:10-20", "no-anchor"),
    ("plugins/other/knowledge/rubric.md", "no-anchor"),
    ("security/knowledge/owasp.md", "no-anchor"),
    ("https://github.com/acme/security/blob/main/knowledge/owasp.md", "no-anchor"),
    ("Whole-file load: short.\n\nRead knowledge/upgrades.md", "no-anchor"),
    ("- Whole-file load: a very good reason\n- knowledge/upgrades.md", "no-anchor"),
    ("knowledge/upgrades.md#whi", "dead-anchor"),
    ("[x](../knowledge/upgrades.md#gone)", "dead-anchor"),
    ("[[upgrades#Gone]]", "dead-anchor"),
    ("knowledge/empty.md#any", "dead-anchor"),
    ("plugins/other/knowledge/rubric.md#gone", "dead-anchor"),
    ("security/knowledge/owasp.md#a04", "dead-anchor"),
    ("Whole-file load: but the anchor is named: knowledge/upgrades.md#gone", "dead-anchor"),
    ("knowledge/upgrade.md#why", "no-file"),
    ("skills/reviews/SKILL.md", "no-file"),
    ("[x](../knowledge/gone.md)", "no-file"),
    ("[[knowledge/gone]]", "no-file"),
    ("plugins/bare/knowledge/x.md#y", "no-index"),
    ("somewhere/else/knowledge/x.md#y", "no-index"),
    ("../../unknown/skills/s/SKILL.md", "no-index"),
    ("Whole-file load: `knowledge/upgrades.md`", "no-reason"),
    ("Whole-file load: knowledge/upgrades.md, skills/review/SKILL.md", "no-reason"),
    ("Whole file load: it is short. knowledge/upgrades.md", "near-miss"),
    ("whole-file load: it is short. knowledge/upgrades.md", "near-miss"),
    ("Whole-File Load: it is short. knowledge/upgrades.md", "near-miss"),
    ("Whole-file-load: it is short. knowledge/upgrades.md", "near-miss"),
    ("Whole-file load - it is short. knowledge/upgrades.md", "near-miss"),
    ("Whole-file load, it is short. knowledge/upgrades.md", "near-miss"),
    ("Full-file load: it is short. knowledge/upgrades.md", "near-miss"),
    ("**Whole-file read**: it is short. knowledge/upgrades.md", "near-miss"),
]


@pytest.mark.parametrize("text", HOLDING)
def test_a_reference_that_holds_is_no_finding(text: str):
    assert check(text) == []


@pytest.mark.parametrize(("text", "rule"), BROKEN)
def test_a_reference_that_does_not_hold_is_found(text: str, rule: str):
    assert [found for _, found, _ in check(text)][:1] == [rule]


def test_a_finding_names_line_and_nearest_anchor():
    text = "---\nname: x\n---\n\n# X\n\nSee\n[the\nwhole](../knowledge/upgrades.md#pining-client)."
    assert check(text) == [
        (
            9,
            "dead-anchor",
            (
                "#pining-client is no section of knowledge/upgrades.md; "
                "the nearest is knowledge/upgrades.md#pinning-the-client"
            ),
        )
    ]


def test_a_whole_file_reference_is_offered_the_section_its_words_point_to():
    ((_, _, message),) = check("The output format is in skills/review/SKILL.md")
    assert "such as #output-format" in message


def test_a_missing_file_is_offered_the_nearest():
    ((_, _, message),) = check("knowledge/upgrade.md#why")
    assert message == "knowledge/upgrade.md does not exist; the nearest is knowledge/upgrades.md"
    ((_, _, message),) = check("knowledge/rubric.md#weights")
    assert "the nearest is plugins/other/knowledge/rubric.md" in message


def test_a_near_miss_is_quoted():
    ((_, _, message),) = check("Whole file load: it is short. knowledge/upgrades.md")
    assert (
        message == "`Whole file load:` is not the marker: write `Whole-file load:` and the reason"
    )


def test_every_reference_of_a_line_is_checked():
    assert [rule for _, rule, _ in check("knowledge/upgrades.md, skills/review/SKILL.md#gone")] == [
        "no-anchor",
        "dead-anchor",
    ]


def test_a_file_may_name_itself():
    assert check("This is skills/review/SKILL.md itself.", "skills/review/SKILL.md") == []


def test_paths_are_read_from_the_corpus_of_the_citing_file_first():
    path, root = "plugins/other/agents/x.md", "plugins/other"
    assert check("knowledge/rubric.md#weights", path, root) == []
    assert [rule for _, rule, _ in check("knowledge/rubric.md#why", path, root)] == ["dead-anchor"]
    assert check("knowledge/upgrades.md#why", path, root) == []


@given(st.text(alphabet="[]()<>#|`@*_ \n-./knowledgeupras:Whole-file load", max_size=80))
def test_no_prose_breaks_the_gate(text: str):
    check(text)
