"""Reading by citation: from the file, in any form of a ref, with the state of the text."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.answers.read_text import read_json, read_text
from pit_memory.core.source import Source
from pit_memory.core.tokens import estimate
from pit_memory.errors import NotFoundError, PathError, RefError, UsageError
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.reading.read import read
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.store import Store
from tests.builders import write_files

GUIDE = """\
---
title: Signing keys
---
Intro line.

# Keys

## Rotation {#rotate}

Rotate every quarter.

### By hand

Call the vault.

### By machine

Nothing to do.

## Backup

Three copies.
"""


LONG = "words " * 20_000
LONG_NAMES = f"""\
---
title: {LONG[:60_000]}
---
# {LONG}

## Food {LONG}

Hay.

## Food

Straw.
"""
"""Names that are whole texts, as whoever floods an answer writes them."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "project", {"docs/keys.md": GUIDE, "docs/other.md": "# Other\n"})


@pytest.fixture
def store(root: Path, tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "store")
    sync(store, [Source("", str(root))])
    yield store
    store.close()


def own(root: Path) -> Source:
    return Source("", str(root))


def show(root: Path, ref: str, store: Store | None = None, budget: int = 2000) -> ReadAnswer:
    return read(
        ref, [own(root)], catalogues=lambda: [store.catalogue] if store else [], budget=budget
    )


def text(answer: ReadAnswer) -> str:
    return "\n".join(line.text for line in answer.lines)


# Forms of a ref


@pytest.mark.parametrize(
    ("ref", "lines"),
    [
        ("docs/keys.md", (1, 22)),
        ("docs/keys.md#rotation", (8, 11)),
        ("docs/keys.md#rotate", (8, 11)),
        ("docs/keys.md#Rotation", (8, 11)),
        ("docs/keys.md#By%20hand", (12, 15)),
        ("docs%2Fkeys.md#backup", (20, 22)),
        ("docs/keys.md:L10", (10, 10)),
        ("docs/keys.md:L10-L12", (10, 12)),
        ("docs/keys.md#L10-L12", (10, 12)),
        ("docs/keys.md:L20-L999", (20, 22)),
        ("  docs/keys.md#backup  ", (20, 22)),
    ],
)
def test_every_form_of_a_ref_names_its_lines(root: Path, ref: str, lines: tuple[int, int]):
    answer = show(root, ref)
    assert answer.whole == answer.shown == lines
    assert text(answer) == "\n".join(GUIDE.split("\n")[lines[0] - 1 : lines[1]])
    assert answer.state == "uncited"


@pytest.mark.parametrize("ref", ["docs/keys.md#rotation", "docs/keys.md:L1-L5", "docs/keys.md"])
def test_the_ref_of_what_is_shown_reads_the_same_again(root: Path, ref: str):
    first = show(root, ref)
    again = show(root, first.ref)
    assert again.state == "same"
    assert (again.lines, again.ref) == (first.lines, first.ref)


def test_a_source_has_its_own_root(root: Path, tmp_path: Path):
    vault = write_files(tmp_path / "vault", {"my notes.md": "# Mine\n"})
    answer = read("vault::my%20notes.md#mine", [own(root), Source("vault", str(vault))])
    assert text(answer) == "# Mine"
    assert answer.ref.startswith("vault::my%20notes.md#mine@")


def test_the_answer_reads_like_a_hit_with_numbered_lines(root: Path):
    answer = show(root, "docs/keys.md#rotation")
    assert (
        read_text(answer)
        == f"""\
{answer.ref}  L8-11  Signing keys > Keys > Rotation
8: ## Rotation {{#rotate}}
9:
10: Rotate every quarter.
11:
below: #by-hand #by-machine"""
    )
    assert read_json(answer)["below"] == ["by-hand", "by-machine"]


def test_a_draft_is_marked(root: Path):
    write_files(root, {"d.md": "---\ndraft: true\n---\n# Draft\n"})
    assert read_text(show(root, "d.md#draft")).split("\n")[0].endswith("Draft · draft")


def test_reading_needs_no_store_and_loads_no_engine(root: Path):
    code = (
        "import sys; from pit_memory.core.source import Source\n"
        "from pit_memory.operations.reading.read import read\n"
        f"print(read('docs/keys.md#backup', [Source('', {str(root)!r})]).state)\n"
        "print(sorted({'tantivy', 'numpy', 'sqlite3'} & set(sys.modules)))"
    )
    environ = {**os.environ, "PYTHONPATH": "mcp_server"}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    ).stdout
    assert printed.split("\n")[:2] == ["uncited", "[]"]


def test_a_store_is_opened_only_where_the_text_is_not_at_its_place(root: Path):
    def never() -> list[Catalogue]:
        pytest.fail("the file alone says it")

    cited = show(root, "docs/keys.md#backup").ref
    assert read(cited, [own(root)], catalogues=never).state == "same"


# What became of the text


def test_text_that_is_as_cited_is_the_same(root: Path):
    cited = show(root, "docs/keys.md#backup").ref
    write_files(root, {"docs/keys.md": GUIDE.replace("Intro line.", "Another intro.")})
    assert show(root, cited).state == "same"


def test_text_that_was_edited_is_changed_and_shown_as_it_is_now(root: Path, store: Store):
    cited = show(root, "docs/keys.md#backup").ref
    write_files(root, {"docs/keys.md": GUIDE.replace("Three", "Four")})
    answer = show(root, cited, store)
    assert answer.state == "changed"
    assert "Four copies." in text(answer)
    assert " · changed" in read_text(answer).split("\n")[0]


def test_cited_lines_that_moved_down_are_found_in_their_file(root: Path):
    cited = show(root, "docs/keys.md:L12-L15").ref
    assert show(root, cited).ref == cited
    lines = show(root, "docs/keys.md:L10-L14").ref
    write_files(root, {"docs/keys.md": "New first line.\n\n" + GUIDE.partition("---\n")[2]})
    answer = show(root, lines)
    assert answer.state == "moved"
    assert "Rotate every quarter." in text(answer)


def test_a_section_that_moved_to_another_file_is_found_by_its_hash(root: Path, store: Store):
    cited = show(root, "docs/keys.md#backup").ref
    kept, heading, section = GUIDE.partition("## Backup")
    write_files(root, {"docs/keys.md": kept, "docs/vault.md": f"# Vault\n\n{heading}{section}"})
    sync(store, [Source("", str(root))])
    answer = show(root, cited, store)
    assert answer.state == "moved"
    assert answer.ref.startswith("docs/vault.md#backup@")


def test_a_renamed_file_is_found_by_its_sections(root: Path, store: Store):
    cited = show(root, "docs/keys.md#backup").ref
    (root / "docs/keys.md").rename(root / "docs/signing.md")
    sync(store, [Source("", str(root))])
    answer = show(root, cited, store)
    assert (answer.state, answer.path) == ("moved", "docs/signing.md")


@pytest.mark.parametrize(
    ("text", "state"),
    [("Three copies.", "moved"), ("Two copies, and a third one off site.", "changed")],
)
def test_what_a_moved_document_says_now_is_compared_with_what_was_cited(
    root: Path, text: str, state: str
):
    cited = show(root, "docs/keys.md#backup").ref
    (root / "docs/keys.md").unlink()
    moved = f"---\nmoved_from: docs/keys.md\n---\n# Vault\n\n## Backup\n\n{text}\n"
    write_files(root, {"docs/vault.md": moved})
    answer = show(root, cited)
    assert (answer.state, answer.path) == (state, "docs/vault.md")
    assert show(root, "docs/keys.md#backup").state == "moved"


def test_a_page_that_took_in_many_drafts_is_found_by_each(root: Path):
    cited = show(root, "docs/keys.md#backup").ref
    (root / "docs/keys.md").unlink()
    drafts = ", ".join(f"docs/_drafts/2026-01-01-a-draft-of-the-vault-{at}.md" for at in range(200))
    moved = (
        f"---\nmoved_from: [{drafts}, docs/keys.md]\n---\n# Vault\n\n## Backup\n\nThree copies.\n"
    )
    write_files(root, {"docs/vault.md": moved})
    assert show(root, cited).path == "docs/vault.md"


def test_an_index_that_is_behind_the_files_finds_nothing_that_is_not_there(
    root: Path, store: Store
):
    cited = show(root, "docs/keys.md#backup").ref
    (root / "docs/keys.md").unlink()
    with pytest.raises(NotFoundError, match="is gone: there is no such file"):
        show(root, cited, store)


def test_a_file_that_is_gone_is_not_named_as_the_nearest_to_itself(root: Path, store: Store):
    (root / "docs/keys.md").unlink()
    with pytest.raises(NotFoundError, match="there is no such file") as told:
        show(root, "docs/keys.md#rotation", store)
    assert "nearest: docs/keys.md" not in str(told.value)


def test_a_section_that_is_gone_is_told_with_the_nearest_headings(root: Path):
    cited = show(root, "docs/keys.md#backup").ref
    write_files(root, {"docs/keys.md": GUIDE.replace("## Backup", "## Backups of keys")})
    with pytest.raises(NotFoundError, match=r"is gone: .*nearest: docs/keys.md#backups-of-keys"):
        show(root, cited)


# What can't be read


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (
            "docs/keys.md#rotaton",
            r"names nothing: .*no such heading; nearest: docs/keys.md#rotation",
        ),
        ("docs/other.md#zzz", r"nearest: docs/other.md#other"),
        ("docs/key.md", r"names nothing: there is no such file; nearest: docs/keys.md"),
        ("keys.md", r"there is no such file"),
        ("docs/keys.md:L23", r"names nothing: the last line is 22"),
        ("docs", r"docs .*"),
        ("docs/keys.md/x", r"there is no such file"),
    ],
)
def test_a_ref_that_names_nothing_is_told_with_the_nearest(root: Path, ref: str, said: str):
    with pytest.raises(NotFoundError, match=said):
        show(root, ref)


def test_with_a_catalogue_a_file_is_found_in_any_folder_by_its_name(root: Path, store: Store):
    with pytest.raises(NotFoundError, match=r"nearest: docs/keys.md"):
        show(root, "guides/keys.md", store)


@pytest.mark.parametrize(
    "ref", ["../../etc/passwd", "/etc/passwd", "docs/../../x.md", "%2E%2E/x.md", "a%00b.md"]
)
def test_a_path_that_leaves_the_root_is_refused(root: Path, ref: str):
    with pytest.raises(PathError):
        show(root, ref)


def test_a_symlink_that_leaves_the_root_is_refused(root: Path, tmp_path: Path):
    outside = write_files(tmp_path / "outside", {"secret.md": "# Secret\n"})
    (root / "docs/link.md").symlink_to(outside / "secret.md")
    (root / "docs/folder").symlink_to(outside)
    for ref in ("docs/link.md", "docs/folder/secret.md#secret"):
        with pytest.raises(PathError, match="symlink"):
            show(root, ref)


def test_a_file_that_is_no_document_is_refused(root: Path):
    write_files(root, {".env": "PASSWORD=x\n", "main.py": "print()\n"})
    for ref in (".env", "main.py:L1"):
        with pytest.raises(NotFoundError, match="is no document"):
            show(root, ref)


def test_an_unknown_source_is_told_with_the_nearest(root: Path):
    with pytest.raises(RefError, match="no source 'vualt' is searched here; did you mean vault::"):
        read("vualt::a.md", [own(root), Source("vault", str(root))])


@pytest.mark.parametrize("budget", [0, 49, 20_001])
def test_a_budget_out_of_its_bounds_is_told(root: Path, budget: int):
    with pytest.raises(UsageError, match=f"budget is {budget}; it must lie between 50 and 20,000"):
        show(root, "docs/keys.md", budget=budget)


@pytest.mark.parametrize("ref", ["", " ", "#anchor", "docs/keys.md:L9-L3", "a.md@12"])
def test_what_is_no_ref_is_refused(root: Path, ref: str):
    with pytest.raises(RefError):
        show(root, ref)


# Budget


def test_a_long_file_is_read_page_by_page_and_every_line_comes_once(root: Path):
    lines = [f"Line {number} of a long text, with some words in it." for number in range(1, 301)]
    write_files(root, {"long.md": "\n".join(lines) + "\n"})
    ref: str | None = "long.md"
    seen = []
    while ref:
        answer = show(root, ref, budget=300)
        assert estimate(read_text(answer)) <= 300
        seen += [line.text for line in answer.lines]
        ref = answer.next_ref
    assert seen == lines


def test_a_line_longer_than_the_budget_is_cut_and_said_to(root: Path):
    write_files(root, {"wide.md": "word " * 50_000 + "\nnext line\n"})
    answer = show(root, "wide.md", budget=200)
    assert estimate(read_text(answer)) <= 200
    assert answer.lines[0].text.endswith("…")
    assert answer.notes == ("line 1 is cut: it has 250,000 characters",)
    assert answer.next_ref == "wide.md:L2"


@pytest.mark.parametrize(("content", "lines"), [("", 0), ("\n", 1), ("---\ntitle: x\n---\n", 3)])
def test_an_empty_file_is_read_as_what_it_is(root: Path, content: str, lines: int):
    write_files(root, {"empty.md": content})
    assert len(show(root, "empty.md").lines) == lines


def test_line_ends_and_encodings_are_those_an_editor_shows(root: Path):
    write_files(root, {"win.md": "# Überschrift\r\n\r\ntext\x1b[0m\r\n".encode("utf-16")})
    assert text(show(root, "win.md#überschrift")) == "# Überschrift\n\ntext␛[0m"


@pytest.mark.parametrize("ref", ["docs/long.md", "docs/long.md:L6-L9", "docs/long.md#food"])
def test_long_titles_and_headings_flood_no_answer(root: Path, ref: str):
    write_files(root, {"docs/long.md": LONG_NAMES})
    answer = show(root, ref)
    assert estimate(read_text(answer)) <= 2000
    assert show(root, answer.ref).state == "same"
    assert show(root, answer.ref).whole == answer.whole


def test_a_missing_heading_names_no_heading_that_is_a_text(root: Path):
    write_files(root, {"docs/long.md": LONG_NAMES})
    with pytest.raises(NotFoundError, match=r"nearest: docs/long\.md#food$"):
        show(root, "docs/long.md#unlike")
