"""A look at a source: which files are documents, what is left out and why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pit_memory.core.documents.freshness import SeenFile, plan
from pit_memory.errors import UsageError
from pit_memory.sources.sieve import EXAMPLES, Rules, Sieve, Tally
from pit_memory.sources.walker import list_source
from tests.builders import make_repository, write_files
from tests.sources.listings import left_out, look, paths

ODD_NAMES = [
    "with space.md",
    "hash#tag.md",
    "at@home.md",
    "100%.md",
    "new\nline.md",
    'quo"te.md',
    "\u00fc.md",
    "u\u0308.md",
    "\U0001f600.md",
    "-dash.md",
    "[x].md",
]


# ---- what is a document ----------------------------------------------------------------------


def test_markdown_of_every_spelling_is_found_and_stat_ed(make_tree):
    root = make_tree({"a.md": "x", "b.markdown": "", "docs/c.mdx": "", "D.MD": "", "e.txt": ""})
    listing = look(root)
    assert paths(listing) == ["D.MD", "a.md", "b.markdown", "docs/c.mdx"]
    status = (root / "a.md").stat()
    seen = SeenFile("a.md", 1, status.st_mtime_ns, status.st_ctime_ns)
    assert seen in listing.files
    assert listing.device == status.st_dev
    assert left_out(listing) == {"of another format": (1, ("e.txt",))}
    assert listing.notes == ()


def test_names_with_every_sign_are_kept_as_they_are(make_tree):
    root = make_tree(dict.fromkeys(ODD_NAMES, ""))
    assert paths(look(root)) == sorted(ODD_NAMES)


def test_a_name_that_is_not_utf8_is_left_out_and_shown_in_plain_text(make_tree):
    root = make_tree({"caf\udce9.md": "", "d\udcff/a.md": "", "ok.md": ""})
    listing = look(root)
    assert paths(listing) == ["ok.md"]
    count, examples = left_out(listing)["name is not UTF-8"]
    assert count == 2
    assert set(examples) == {"caf\\xe9.md", "d\\xff/a.md"}


def test_an_empty_tree_has_no_documents_and_no_problem(make_tree):
    listing = look(make_tree({}))
    assert (listing.files, listing.left_out, listing.not_looked) == ((), (), ())


def test_a_tree_without_markdown_says_what_is_there(make_tree):
    listing = look(make_tree({f"{number}.py": "" for number in range(20)}))
    assert listing.files == ()
    count, examples = left_out(listing)["of another format"]
    assert count == 20
    assert len(examples) == EXAMPLES


def test_a_new_changed_and_deleted_file_is_seen_without_being_told(make_tree):
    root = make_tree({"a.md": "", "b.md": "", "c.md": ""})
    before = {file.path: file for file in look(root).files}
    (root / "a.md").write_text("longer", encoding="utf-8")
    (root / "b.md").unlink()
    (root / "new.md").touch()
    made = plan(before, look(root).files)
    assert (made.add, made.change, made.remove) == (("new.md",), ("a.md",), ("b.md",))
    assert made.unchanged == 1


# ---- rules -----------------------------------------------------------------------------------


def test_a_skipped_folder_counts_as_one(make_tree):
    root = make_tree(
        {
            "a.md": "",
            ".obsidian/x.md": "",
            ".obsidian/deep/y.json": "",
            "web/node_modules/p/README.md": "",
            "web/node_modules/q/README.md": "",
            "env/pyvenv.cfg": "",
            "env/lib/site-packages/p/README.md": "",
            "archive/2020/old.md": "",
        }
    )
    listing = look(root, exclude=("archive/",))
    assert paths(listing) == ["a.md"]
    assert left_out(listing) == {
        "excluded": (1, ("archive/",)),
        "hidden": (1, (".obsidian/",)),
        "node_modules": (1, ("web/node_modules/",)),
        "virtual environment": (1, ("env/",)),
    }


def test_include_and_exclude_choose_files(make_tree):
    root = make_tree({"docs/a.md": "", "docs/b.md": "", "docs/pic.png": "", "other/c.md": ""})
    listing = look(root, include=("docs/",), exclude=("b.md",))
    assert paths(listing) == ["docs/a.md"]
    assert left_out(listing) == {
        "excluded": (1, ("docs/b.md",)),
        "of another format": (1, ("docs/pic.png",)),
        "not included": (1, ("other/c.md",)),
    }


HIDDEN = {
    ".github/a.md": "",
    ".github/.cache/b.md": "",
    ".claude/settings.md": "",
    ".claude/skills/x/SKILL.md": "",
    "docs/.drafts/c.md": "",
    ".secret.md": "",
}


@pytest.mark.parametrize(
    ("hidden", "found"),
    [
        ((), []),
        ((".github/",), [".github/.cache/b.md", ".github/a.md"]),
        ((".claude/skills/",), [".claude/skills/x/SKILL.md"]),
        ((".claude/*/*/SKILL.md",), [".claude/skills/x/SKILL.md"]),
        ((".drafts",), ["docs/.drafts/c.md"]),
        ((".secret.md",), [".secret.md"]),
        ((".*",), sorted(HIDDEN)),
    ],
)
def test_hidden_files_are_found_only_where_named(make_tree, hidden, found):
    assert paths(look(make_tree(HIDDEN), hidden=hidden)) == found


def test_a_hidden_folder_that_include_names_is_looked_into(make_tree):
    found = look(make_tree({**HIDDEN, "a.md": ""}), include=(".github/*.md", "a.md"))
    assert paths(found) == [".github/a.md", "a.md"]


def test_a_file_above_the_size_limit_is_left_out(make_tree):
    listing = look(make_tree({"big.md": "x" * 101, "fits.md": "x" * 100}), max_file_bytes=100)
    assert paths(listing) == ["fits.md"]
    assert left_out(listing) == {"too large": (1, ("big.md",))}


def test_a_glob_that_cannot_be_read_is_an_error(make_tree):
    with pytest.raises(UsageError, match="not closed"):
        look(make_tree({}), exclude=("[a",))


# ---- laws ------------------------------------------------------------------------------------

PIECE = st.sampled_from(["a", ".b", "node_modules", "c.md", "d.txt", ".e.md", "x"])


TREE_PATH = st.lists(PIECE, min_size=1, max_size=4).map("/".join)


RULES = st.builds(
    Rules,
    include=st.sampled_from([(), ("a/",), ("c.md",)]),
    exclude=st.sampled_from([(), ("x/",), ("*.md",)]),
    hidden=st.sampled_from([(), (".b",), ("a/.b/",), (".*",)]),
)


@given(path=TREE_PATH, rules=RULES)
def test_a_path_is_a_document_or_left_out_for_one_reason(path, rules):
    tally = Tally()
    found = Sieve(rules, tally).documents([path])
    reasons = [group.count for group in tally.groups()]
    assert (found, reasons) in (([path], []), ([], [1]))


@settings(max_examples=25, deadline=None)
@given(tree=st.sets(TREE_PATH, max_size=8), rules=RULES)
def test_git_and_reading_folders_find_the_same(tmp_path_factory, tree, rules):
    files = {
        path: "" for path in tree if not any(f"{path}/" in f"{other}/" for other in tree - {path})
    }
    place = tmp_path_factory.mktemp("trees")
    plain = list_source(write_files(place / "plain", files), rules)
    by_git = list_source(make_repository(place / "git", files), rules)
    assert (plain.via, by_git.via) == ("scandir", "git")
    assert paths(plain) == paths(by_git)
    assert [(group.reason, group.count) for group in plain.left_out] == [
        (group.reason, group.count) for group in by_git.left_out
    ]
