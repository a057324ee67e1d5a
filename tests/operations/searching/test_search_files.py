"""The search and the files as they are: changed, foreign, copied, of several stores."""

import os
import re
from pathlib import Path

import pytest

from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.source import Source
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.index_builders import markdown, put
from tests.operations.searching.searched_project import Project, paths, project_of

# The files, as they are


def test_a_file_that_vanished_or_changed_in_this_instant_is_left_out_and_named(project: Project):
    (project.root / "docs/keys.md").unlink()
    (project.root / "docs/_drafts/region.md").write_text("changed meanwhile")
    answer = project.ask("signing key rotation")
    assert answer.hits == ()
    assert set(answer.notes) == {
        "left out, its file just changed or vanished: docs/keys.md",
        "left out, its file just changed or vanished: docs/_drafts/region.md",
    }


def test_other_sections_take_the_place_of_stale_ones(project: Project):
    question = "signing key rotation"
    best = project.ask(question, limit=1).hits[0]
    os.utime(project.root / best.path, ns=(1, 1))
    [other] = project.ask(question, limit=1).hits
    assert other.path != best.path


def test_a_write_is_seen_by_the_next_search(project: Project):
    assert project.ask("zanzibar").abstained
    write_files(project.root, {"docs/new.md": "# Widgets\n\nThe zanzibar widget.\n"})
    project.sync()
    assert paths(project.ask("zanzibar")) == ["docs/new.md"]
    (project.root / "docs/new.md").unlink()
    project.sync()
    assert project.ask("zanzibar").abstained


def test_an_index_that_catches_up_with_its_catalogue_is_noticed(project: Project):
    new = markdown("docs/new.md", "# Widgets\n\nThe zanzibar widget.\n")
    put(project.store.catalogue, new)
    assert project.ask("zanzibar widget").abstained
    project.store.keywords.follow(wait_seconds=1)
    write_files(project.root, {"docs/new.md": "x"})
    os.utime(project.root / "docs/new.md", ns=(1, 1))  # as `put` says the file was
    assert paths(project.ask("zanzibar widget")) == ["docs/new.md"]


def test_foreign_text_cannot_look_like_ours(project: Project):
    write_files(
        project.root,
        {"docs/evil.md": "# Evil \x1b]0;title\x07\n\n\x1b[2J1. docs/fake.md@0 zebra\u2028 more\n"},
    )
    project.sync()
    text = answer_text(project.ask("zebra"))
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert [
        line for line in text.splitlines() if not line.startswith(("1. docs/evil.md", "   "))
    ] == []


@pytest.mark.parametrize(
    "name", ["with space.md", "a#b.md", "a@b.md", "a%20b.md", "a:b.md", "новый.md", "new\nline.md"]
)
def test_a_ref_is_one_token_whatever_the_file_is_called(project: Project, name: str):
    write_files(project.root, {f"docs/{name}": "# Page\n\nThe zanzibar widget.\n"})
    project.sync()
    [hit] = project.ask("zanzibar").hits
    assert hit.path == f"docs/{name}"
    assert re.fullmatch(r"\S+", hit.ref)


def test_two_stores_make_one_list_and_refs_name_the_source(docs: Project, tmp_path: Path):
    others = {f"{name}.md": f"# {name}\n\nAbout {name}.\n" for name in ("tea", "bread", "rain")}
    mine = {"keys.md": "# Notes\n\nWhere my signing key notes are.\n"}
    vault = write_files(tmp_path / "vault", others | mine)
    store = Store.open(tmp_path / "user")
    sync(store, [Source("vault", str(vault))])
    answer = search([docs.searched, SearchedStore(store)], SearchRequest("signing key notes"))
    assert any(hit.ref.startswith("vault::keys.md#notes@") for hit in answer.hits)
    assert any(hit.ref.startswith("docs/keys.md#") for hit in answer.hits)
    store.close()


# Copies

PAGE = "# Keys\n\nThe signing key is rotated every night.\n\n## Lost keys\n\nAsk the vault.\n"


GERMAN_PAGE = (
    "# Schlüssel\n\nDer Schlüssel wird jede Nacht gewechselt, ohne dass man etwas tut.\n\n"
    "## Verlorene Schlüssel\n\nMan fragt den Tresor, und er ist wieder da.\n"
)


def test_versions_and_translations_of_a_section_are_one_hit(tmp_path: Path):
    copies = {f"v{number}/keys.md": PAGE for number in (1, 2, 3)}
    changed = PAGE.replace("Ask the vault.", "Ask the vault. It has them all.")
    files = {**copies, "v2/keys.md": changed, "v3/de/keys.md": GERMAN_PAGE}
    project = project_of(tmp_path, files)
    answer = project.ask("signing key rotated")
    assert paths(answer) == ["v3/keys.md", "v3/keys.md"]
    assert len({hit.anchor for hit in answer.hits}) == 2
    assert set(answer.hits[0].copies) == {"v1/keys.md", "v2/keys.md"}
    assert "· also v" in answer_text(answer)
    assert paths(project.ask("verlorene Schlüssel"))[0] == "v3/de/keys.md"
    project.store.close()


def test_pages_that_share_a_name_and_not_their_text_are_hits_of_their_own(tmp_path: Path):
    other = PAGE.replace("every night", "every day").replace("Lost", "Stolen")
    project = project_of(tmp_path, {"a/keys.md": PAGE, "b/keys.md": other})
    assert set(paths(project.ask("signing key rotated"))) == {"a/keys.md", "b/keys.md"}
    project.store.close()


def test_front_matter_for_the_sites_search_is_heeded(tmp_path: Path):
    def page(hint: str) -> str:
        return f"---\nsearch:\n  {hint}\n---\n# Keys\n\nThe signing key rotates.\n"

    files = {
        "hidden.md": page("exclude: true"),
        "first.md": page("boost: 2"),
        "last.md": page("boost: 0.5"),
        "plain.md": "# Keys\n\nThe signing key rotates.\n",
    }
    project = project_of(tmp_path, files)
    found = paths(project.ask("signing key rotates"))
    assert found == ["first.md", "plain.md", "last.md"]
    project.store.close()
