"""A vault of Obsidian: searched by tag, read by block, followed by link, left as it is."""

import json
import time

import pytest

from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source
from pit_memory.operations.indexing.source_plan import plan_source
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.reading.links import dead_links
from pit_memory.operations.reading.read import read
from pit_memory.operations.searching.searched_sources import sources_of
from pit_memory.sources.formats import ENDINGS
from pit_memory.sources.sieve import rules_of
from pit_memory.sources.vault import dialect_of
from pit_memory.sources.walker import list_source
from pit_memory.stores.store import Store
from pit_memory.workspace.files import RACY_NS
from tests.builders import write_files
from tests.cli.commands import run
from tests.eval_corpora import corpus_files
from tests.pdf_builder import make_pdf

pytestmark = pytest.mark.usefixtures("words_only", "no_background")

FILES = {
    ".obsidian/app.json": "{}",
    "Apes.md": (
        "---\naliases: [Primates]\ntags: [zoo]\n---\n# Apes\n\nSee [[Gibbon#Songs|their songs]], "
        "[[Missing]] and [[Gibbon#Nowhere]].\n\n![[ape.png]] [web](https://example.org)\n"
    ),
    "deep/Gibbon.md": (
        "# Gibbon\n\nA singer. #zoo/apes %% a secret marmoset %%\n\n## Songs\n\n"
        "They last an hour. ^an-hour\n\n"
        "Back to [apes](../Apes.md).\n"
    ),
    "ape.png": b"\x89PNG",
    "Templates/Daily.md": "# Daily\n\nA template okapi.\n",
}


@pytest.fixture(autouse=True)
def nowhere(home, monkeypatch):
    """A folder outside of any project, where each test stands."""
    monkeypatch.chdir(home)


@pytest.fixture
def vault(home):
    return write_files(home / "Zoo Vault", FILES)


@pytest.fixture
def added(vault, capsys):
    run(capsys, "docs", "add", str(vault), "--name", "zoo")
    run(capsys, "docs", "sync")
    return vault


def found(capsys, question, *arguments):
    outcome = run(capsys, "search", question, "--json", *arguments)
    return [hit["ref"].rpartition("@")[0] for hit in json.loads(outcome.out)["hits"]]


@pytest.mark.usefixtures("added")
def test_tags_filter_and_a_tag_holds_those_below_it(capsys):
    assert found(capsys, "singer", "--tag", "zoo") == ["zoo::deep/Gibbon.md#gibbon"]
    assert found(capsys, "singer", "--tag", "#Zoo/Apes") == ["zoo::deep/Gibbon.md#gibbon"]
    assert found(capsys, "singer", "--tag", "apes") == []


@pytest.mark.usefixtures("added")
def test_comments_are_not_found_and_aliases_are(capsys):
    assert found(capsys, "marmoset") == []
    assert found(capsys, "primates") == ["zoo::Apes.md#apes"]


def test_a_shown_line_is_the_line_of_the_file_but_for_comments(capsys, added):
    marked = {
        "Marks.md": "# Marks\n\nThe tamarin ![[ape.png]] eats %%or not%% figs.\n\n"
        "> [!warning] A tamarin bites. ^bites\n"
    }
    write_files(added, marked)
    (hit,) = json.loads(run(capsys, "search", "tamarin figs bites", "--json").out)["hits"]
    assert {line["text"] for line in hit["snippet"]} == {
        "The tamarin ![[ape.png]] eats … figs.",
        "> [!warning] A tamarin bites. ^bites",
    }


@pytest.mark.usefixtures("added")
def test_a_block_is_cited_by_its_id(capsys):
    outcome = run(capsys, "read", "zoo::deep/Gibbon.md#^an-hour")
    first, *rest = outcome.out.splitlines()
    assert first.startswith("zoo::deep/Gibbon.md#^an-hour@")
    assert rest == ["7: They last an hour. ^an-hour"]
    again = run(capsys, "read", first.split()[0])
    assert again.out.splitlines()[0].endswith(" · same")


@pytest.mark.usefixtures("added")
def test_links_and_backlinks_are_one_hop_away(capsys):
    text = run(capsys, "read", "zoo::Apes.md", "--links").out
    assert "link L7: [[Gibbon#Songs]] -> zoo::deep/Gibbon.md#songs@" in text
    assert "link L7: [[Missing]] -> nothing" in text
    assert "link L7: [[Gibbon#Nowhere]] -> nothing" in text
    assert "link L9: [[ape.png]] -> zoo::ape.png" in text
    assert "example.org" not in text.split("link ", 1)[1]
    assert "linked from: zoo::deep/Gibbon.md#songs@" in text
    answer = json.loads(run(capsys, "read", "zoo::deep/Gibbon.md", "--links", "--json").out)
    assert [link["ref"].rpartition("@")[0] for link in answer["backlinks"]] == ["zoo::Apes.md#apes"]
    assert "link" not in run(capsys, "read", "zoo::deep/Gibbon.md#songs").out


def test_the_links_of_a_popular_note_are_counted_and_all_of_them_are_at_hand(capsys, vault):
    write_files(vault, {f"Day {day}.md": "Met [[Gibbon]].\n" for day in range(40)})
    run(capsys, "docs", "add", str(vault), "--name", "zoo")
    run(capsys, "docs", "sync")
    text = run(capsys, "read", "zoo::deep/Gibbon.md", "--links").out
    assert text.count("linked from: ") == 25
    (more,) = [line for line in text.splitlines() if "16 more backlinks" in line]
    _, _, command = more.partition("pit-memory ")
    text = run(capsys, *command.split()).out
    assert text.count("linked from: ") == 41
    assert "more backlinks" not in text


@pytest.mark.usefixtures("added")
def test_every_wikilink_leads_somewhere_or_is_reported(capsys):
    text = run(capsys, "docs", "list", "--problems").out
    assert "Apes.md:7: dead-link: [[Missing]] names no file" in text
    assert "Apes.md:7: dead-link: [[Gibbon#Nowhere]]: deep/Gibbon.md has no #Nowhere" in text
    assert text.count("dead-link") == 2


def test_a_person_opens_a_hit_in_obsidian(capsys, added):
    (hit,) = json.loads(run(capsys, "search", "singer", "--json").out)["hits"]
    assert hit["url"] == "obsidian://open?vault=Zoo%20Vault&file=deep%2FGibbon%23Gibbon"
    assert added.name == "Zoo Vault"


def test_what_obsidian_excludes_is_left_out_and_said(capsys, added):
    assert found(capsys, "okapi") == ["zoo::Templates/Daily.md#daily"]
    ignored = {"userIgnoreFilters": ["Templates/", "/\\.bad$/", "/(a+)+/"]}
    write_files(added, {".obsidian/app.json": json.dumps(ignored)})
    outcome = run(capsys, "search", "okapi", "--json")
    answer = json.loads(outcome.out)
    assert answer["hits"] == []
    assert any("may take for ever" in note for note in answer["notes"])
    assert "1 excluded in Obsidian" in run(capsys, "docs", "list").out


@pytest.mark.parametrize(
    "settings", ["not json", "[]", '{"userIgnoreFilters": 3}', "\xff", "[" * 100_000]
)
def test_broken_settings_of_obsidian_leave_the_notes(tmp_path, settings):
    root = write_files(tmp_path / "v", {**FILES, ".obsidian/app.json": settings.encode("latin-1")})
    source = Source("v", str(root), dialect=dialect_of(root), endings=ENDINGS)
    assert len(list_source(root, rules_of(source)).files) == 3


def test_a_folder_of_a_vault_resolves_links_from_the_top(tmp_path):
    root = write_files(tmp_path / "v", {**FILES, "deep/Note.md": "[[Apes]] [[Gibbon]] [[Gone]]\n"})
    source = Source("d", str(root / "deep"), dialect=dialect_of(root / "deep"), endings=ENDINGS)
    store = Store.open(tmp_path / "store")
    sync(store, [source])
    dead = [(it.path, it.message) for it in dead_links(source, store.catalogue)]
    assert dead == [("Note.md", "[[Gone]] names no file")]
    links = read("d::Note.md", [source], catalogues=lambda: [store.catalogue], links=True).links
    assert [link.ref for link in links] == ["", "d::Gibbon.md", ""]
    store.close()


def test_an_empty_mount_point_makes_no_note_be_read_again(tmp_path):
    root = write_files(tmp_path / "v", FILES)
    time.sleep(2 * RACY_NS / 1e9)  # a file of just now is read once more

    def vault():
        return Source("v", str(root), dialect=dialect_of(root), endings=ENDINGS)

    store = Store.open(tmp_path / "store")
    sync(store, [vault()])
    root.rename(tmp_path / "elsewhere")
    root.mkdir()  # by what is in it, no vault
    (refused,) = sync(store, [vault()]).refused
    assert "the index is kept" in refused
    root.rmdir()
    (tmp_path / "elsewhere").rename(root)
    planned = plan_source(store.catalogue, vault()).plan
    assert (planned.change, planned.unchanged) == ((), 3)
    store.close()


def test_the_project_itself_may_be_a_vault(tmp_path):
    root = write_files(tmp_path / "v", FILES)
    found = sources_of(root, Settings(), home="", is_project=True)
    assert found.own[0].dialect == "obsidian"


def test_every_way_to_write_a_link_leads_where_obsidian_leads(tmp_path):
    links = {
        "[[Gibbon#^an-hour]]": "v::deep/Gibbon.md#^an-hour",
        "[[deep/gibbon#songs|them]]": "v::deep/Gibbon.md#songs",
        "![[ape.png|200x100]]": "v::ape.png",
        "![[Gibbon#Songs]]": "v::deep/Gibbon.md#songs",
        "![[book.pdf#page=2]]": "v::book.pdf#p2",
        "[[book.pdf#page=2&selection=1,2,3,4]]": "v::book.pdf#p2",
        "[[book.pdf#height=400]]": "v::book.pdf",
        "[text](deep/Gibbon.md#Songs)": "v::deep/Gibbon.md#songs",
        "[text](My%20Note.md)": "v::My%20Note.md",
        "[text](<My Note.md>)": "v::My%20Note.md",
        "[text](My%20Note)": "v::My%20Note.md",
        "[[My Note]]": "v::My%20Note.md",
        "[[My%20Note]]": "",
        "[[100%25 done]]": "v::100%2525%20done.md",
    }
    own = "[[#^here]] [[#^HERE]] [[#Links]] [[#Nowhere]]"
    table = "| a | b |\n|---|---|\n| [[Gibbon\\|shown]] | ![[ape.png\\|20]] |"
    root = write_files(
        tmp_path / "v",
        {
            **FILES,
            "Links.md": "\n\n".join(["# Links", own, *links, "Block ^here", table]) + "\n",
            "My Note.md": "# My\n",
            "100%25 done.md": "# Done\n",
            "book.pdf": make_pdf([["One"], ["Two"]]),
        },
    )
    source = Source("v", str(root), dialect="obsidian", endings=ENDINGS)
    store = Store.open(tmp_path / "store")
    sync(store, [source])
    answer = read("v::Links.md", [source], catalogues=lambda: [store.catalogue], links=True)
    found = [link.ref.partition("@")[0] for link in answer.links]
    assert found == [*links.values(), "v::deep/Gibbon.md", "v::ape.png"]
    dead = [it.message for it in dead_links(source, store.catalogue) if it.path == "Links.md"]
    assert dead == ["[[#Nowhere]]: Links.md has no #Nowhere", "[[My%20Note]] names no file"]
    store.close()


def test_every_wikilink_of_a_real_vault_is_resolved_or_reported(tmp_path):
    root = write_files(
        tmp_path / "v", {".obsidian/app.json": "{}", **corpus_files("obsidian-tasks-vault")}
    )
    source = Source("v", str(root), dialect="obsidian", endings=ENDINGS)
    store = Store.open(tmp_path / "store")
    sync(store, [source])
    links = [link for _, _, link in store.catalogue.links("v") if link.is_wikilink]
    dead = list(dead_links(source, store.catalogue))
    assert len(links) > 1_000
    # Two pictures are no part of the corpus; the vault itself was checked to have no other.
    assert [it.message.partition("]]")[0] for it in dead] == [
        "[[on-completion-before.png",
        "[[on-completion-after.png",
    ]
    store.close()
