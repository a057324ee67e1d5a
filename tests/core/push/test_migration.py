"""The client's notes become push memory and drafts, and no line is lost."""

from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.push.memory_entries import kind_and_slug, parse_entry
from pit_memory.core.push.migration import homeless_lines, plan_migration
from tests.client_notes import FEEDBACK, NOTES
from tests.index_builders import markdown


def planned(notes):
    migration = plan_migration(notes)
    assert list(homeless_lines(notes, migration)) == []
    return {file.name: file for file in migration.files}


def test_notes_are_sorted_by_their_type():
    files = planned({**NOTES, "user_role.md": "Likes tabs.\n", "plain.md": "# Plain\n"})
    assert {name: file.home for name, file in files.items()} == {
        "gotcha_testing.md": "project",
        "gateway.md": "drafts",
        "preference_role.md": "person",
        "plain.md": "drafts",
        "memory-notes.md": "drafts",
    }


def test_an_entry_keeps_its_text_and_gets_its_kind():
    file = planned(NOTES)["gotcha_testing.md"]
    assert file.text == FEEDBACK.replace("  type: feedback\n", "  kind: gotcha\n  type: feedback\n")
    entry, problems = parse_entry(file.name, file.text, "")
    assert problems == ()
    assert entry.description == "Run the whole suite"


def test_a_note_without_front_matter_gets_one():
    file = planned({"user_role.md": "Likes tabs.\n"})["preference_role.md"]
    assert file.text == (
        "---\nname: role\nmetadata:\n  type: user\n  kind: preference\n---\n\nLikes tabs.\n"
    )


def test_a_draft_has_a_title_and_is_one():
    file = planned(NOTES)["gateway.md"]
    document = markdown(file.name, file.text)
    assert (document.title, document.status, document.problems) == ("Gateway port", "draft", ())
    assert file.text.endswith("\n---\n\n# Gateway port\n\nThe gateway listens on 8443.\n")


def test_a_line_of_the_index_is_said_in_its_note_or_goes_to_a_draft():
    migration = plan_migration(NOTES)
    assert [(said.line, said.file.name) for said in migration.said_there] == [
        (3, "gotcha_testing.md")
    ]
    notes = planned(NOTES)["memory-notes.md"]
    assert notes.text.endswith(
        "\n\n# Memory\n"
        "- [Gateway](project_gateway.md) - its port, and who asked for it\n"
        "Lines people wrote.\n"
    )
    assert list(notes.lines) == [1, 4, 5]


def test_two_notes_never_share_a_file():
    files = planned(
        {"feedback_a.md": "One.\n", "feedback-a.md": "Two.\n", "gotcha_a.md": "Three.\n"}
    )
    assert sorted(files) == ["feedback-a.md", "gotcha_a-2.md", "gotcha_a.md"]


def test_a_lost_line_is_found():
    migration = plan_migration(NOTES)
    changed = NOTES | {"feedback_testing.md": FEEDBACK.replace("parts", "all parts")}
    assert list(homeless_lines(changed, migration)) == [("feedback_testing.md", 10)]
    assert ("other.md", 1) in homeless_lines({"other.md": "x"}, migration)


def test_an_index_alone_is_no_reason_for_a_draft_where_all_is_said():
    notes = {"MEMORY.md": "- [Testing](feedback_testing.md)\n", "feedback_testing.md": FEEDBACK}
    assert list(planned(notes)) == ["gotcha_testing.md"]


names = st.sampled_from(
    ["MEMORY.md", "feedback_a.md", "user_a.md", "project_a.md", "reference_b.md", "A B.md", "_.md"]
)
lines = st.sampled_from(
    [
        *("---", "name: x", "metadata:", "  type: feedback", "  type: user", "type: reference"),
        *(
            "  kind: rule",
            "metadata: {type: user}",
            "# H",
            "text",
            "",
            "  ",
            "- [a](feedback_a.md)",
        ),
        *("- [z](user_a.md) text", "```", "draft: true", "title: T"),
    ]
)


@given(st.dictionaries(names, st.lists(lines, max_size=8).map("\n".join), max_size=5))
def test_no_line_of_any_note_is_lost_and_every_entry_can_be_read(notes):
    migration = plan_migration(notes)
    assert list(homeless_lines(notes, migration)) == []
    assert len({(file.home, file.name) for file in migration.files}) == len(migration.files)
    for file in migration.files:
        if file.home == "drafts":
            assert markdown(file.name, file.text).status == "draft"
        else:
            assert kind_and_slug(file.name)
