import pytest

from pit_memory.core.kinds import KINDS, WRITTEN_KINDS, searched_collections, written_kind
from pit_memory.core.settings.settings import KEYS
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.errors import UnknownCollectionError
from tests.shared_material import PROJECT


def test_a_search_of_docs_finds_rules_as_well():
    assert searched_collections("docs") == ("docs", "memory")
    assert searched_collections("facts") == ("facts",)


def test_every_kind_can_be_searched():
    assert {kind.collection for kind in KINDS} == {
        found for kind in KINDS for found in searched_collections(kind.collection)[:1]
    }


def test_kinds_and_their_other_names_are_unique():
    names = [name for kind in KINDS for name in (kind.name, *kind.aliases)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("asked", "meant"), [("doc", "docs"), ("Incident", "incidents")])
def test_an_unknown_collection_is_told_with_the_nearest(asked, meant):
    with pytest.raises(UnknownCollectionError, match=f"{asked}.*did you mean {meant}"):
        searched_collections(asked)


def test_a_collection_like_no_other_is_told_with_all():
    with pytest.raises(UnknownCollectionError, match="There are docs, memory, incidents, facts"):
        searched_collections("zzz")


def test_every_kind_that_is_written_has_its_own_commit_setting():
    assert {f"commit.{kind.name}" for kind in WRITTEN_KINDS} <= KEYS.keys()


@pytest.mark.parametrize(
    ("asked", "meant"), [("feedback", "gotcha"), ("doc", "reference"), (" System ", "reference")]
)
def test_a_kind_is_known_by_its_other_names(asked, meant):
    assert written_kind(asked)[0].name == meant


def test_the_hook_launcher_looks_for_drafts_where_they_are_written():
    assert f'"$project"/{DRAFTS_HOME}/*.md' in (PROJECT / "hooks/launch").read_text()
