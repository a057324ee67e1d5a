"""The plan of a look: what to read, what to forget, and when not to believe a loss."""

from collections.abc import Iterable
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.freshness import (
    SHRINK_FLOOR,
    SeenFile,
    is_at_or_below,
    keep_everything,
    plan,
    renames,
)


def seen(*paths: str, mtime_ns: int = 5) -> list[SeenFile]:
    """Files with sizes of their own, so that none looks like another one moved."""
    return [SeenFile(path, crc32(path.encode()), mtime_ns, 7) for path in paths]


def known(files: Iterable[SeenFile]) -> dict[str, SeenFile]:
    return {file.path: file for file in files}


def pages(count: int, folder: str = "docs") -> list[SeenFile]:
    return seen(*(f"{folder}/{number}.md" for number in range(count)))


def test_a_new_tree_is_added_newest_first():
    old, new = SeenFile("old.md", 1, 10, 10), SeenFile("new.md", 1, 20, 20)
    made = plan({}, [old, new])
    assert made.add == ("new.md", "old.md")
    assert (made.change, made.remove, made.refused, made.unchanged) == ((), (), None, 0)


@pytest.mark.parametrize("moved", ["size", "mtime_ns", "ctime_ns"])
def test_a_file_whose_stamp_moved_is_read_again(moved):
    before = SeenFile("a.md", 1, 2, 3)
    made = plan(known([before]), [SeenFile(**{**before._asdict(), moved: 9})])
    assert made.change == ("a.md",)
    assert made.unchanged == 0


def test_a_file_whose_recorded_time_says_nothing_is_read_again():
    file = SeenFile("a.md", 1, 2, 3)
    assert plan(known([file._replace(ctime_ns=0)]), [file]).change == ("a.md",)


def test_an_unchanged_tree_asks_for_nothing():
    files = pages(30)
    made = plan(known(files), files)
    assert (made.add, made.change, made.remove, made.lost) == ((), (), (), ())
    assert made.unchanged == 30


def test_a_deleted_file_is_removed():
    files = pages(3)
    made = plan(known(files), files[:2])
    assert made.remove == ("docs/2.md",)
    assert made.refused is None


def test_an_emptied_root_keeps_the_index_and_says_how_many_were_there():
    made = plan(known(pages(3)), [])
    assert made.remove == ()
    assert len(made.lost) == 3
    assert made.refused is not None
    assert "no document is there where 3 were" in made.refused
    assert "--allow-shrink" in made.refused


def test_a_root_that_never_held_anything_is_no_wipe():
    assert plan({}, []).refused is None


def test_losing_more_than_half_of_twenty_documents_is_refused():
    files = pages(SHRINK_FLOOR)
    assert plan(known(files), files[:10]).refused is None
    made = plan(known(files), files[:9])
    assert made.refused == (
        "11 of 20 documents are missing; the index is kept; "
        "if that is meant: `pit-memory sync --allow-shrink`"
    )


def test_a_small_tree_may_lose_most_of_its_documents():
    files = pages(SHRINK_FLOOR - 1)
    assert len(plan(known(files), files[:1]).remove) == SHRINK_FLOOR - 2


def test_a_refused_plan_still_brings_in_what_is_new_or_changed():
    files = pages(40)
    changed = files[0]._replace(mtime_ns=99)
    made = plan(known(files), [changed, *seen("fresh.md")])
    assert made.refused
    assert made.add == ("fresh.md",)
    assert made.change == (changed.path,)
    assert made.remove == ()


def test_allow_shrink_believes_any_loss():
    files = pages(40)
    assert len(plan(known(files), [], allow_shrink=True).remove) == 40


def test_another_disk_with_most_documents_missing_is_refused_even_for_a_small_tree():
    files = pages(3)
    made = plan(known(files), files[:1], device_changed=True)
    assert made.refused is not None
    assert "another disk" in made.refused
    assert made.remove == ()


def test_another_disk_that_holds_the_documents_is_fine():
    files = pages(30)
    made = plan(known(files), files[:29], device_changed=True)
    assert made.refused is None
    assert made.remove == (files[29].path,)


def test_documents_in_a_folder_that_could_not_be_looked_at_are_kept():
    files = [*pages(3), *pages(3, "private")]
    made = plan(known(files), files[:2], not_looked=("private",))
    assert made.remove == ("docs/2.md",)


def test_a_tree_of_which_nothing_could_be_looked_at_loses_nothing():
    assert plan(known(pages(30)), [], not_looked=("",)).lost == ()


def test_losses_with_an_explanation_are_believed():
    files = pages(40)
    lost = [file.path for file in files[5:]]
    assert plan(known(files), files[:5]).refused
    assert len(plan(known(files), files[:5], excused=lost).remove) == 35
    assert plan(known(files), files[:5], excused=lost[:10]).refused, "25 of 40 are unexplained"


def test_a_renamed_folder_is_no_loss():
    files = pages(40, "docs")
    moved = [file._replace(path=file.path.replace("docs", "guides"), ctime_ns=99) for file in files]
    made = plan(known(files), moved)
    assert made.refused is None
    assert len(made.add) == len(made.remove) == 40


def test_one_arrival_explains_one_loss_only():
    twins = [SeenFile(f"{number}.md", 1, 1, 1) for number in range(40)]
    made = plan(known(twins), [SeenFile("new.md", 1, 1, 1)])
    assert made.refused is not None
    assert "39 of 40" in made.refused


def test_a_root_that_could_not_be_listed_keeps_everything():
    made = keep_everything(["a.md", "b.md"], "there is no such folder")
    assert made.refused == "there is no such folder"
    assert (made.add, made.change, made.remove) == ((), (), ())
    assert made.unchanged == 2


def test_a_file_with_the_same_bytes_under_another_path_is_a_rename():
    assert renames({"a.md": "h1", "b.md": "h2"}, {"x/a.md": "h1", "c.md": "h3"}) == {
        "a.md": "x/a.md"
    }


def test_equal_files_are_paired_by_name_first_and_each_once():
    removed = {"1/a.md": "h", "1/b.md": "h", "1/c.md": "h"}
    added = {"2/b.md": "h", "2/z.md": "h"}
    assert renames(removed, added) == {"1/b.md": "2/b.md", "1/a.md": "2/z.md"}


@pytest.mark.parametrize(
    ("path", "places", "expected"),
    [
        ("a/b/c.md", {"a/b"}, True),
        ("a/b/c.md", {"a/b/c.md"}, True),
        ("a/b2/c.md", {"a/b"}, False),
        ("a.md", {""}, True),
        ("a.md", set(), False),
    ],
)
def test_a_place_covers_what_is_at_or_below_it(path, places, expected):
    assert is_at_or_below(path, places) is expected


FILES = st.dictionaries(
    st.text("abc/", min_size=1, max_size=3),
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)),
    max_size=60,
).map(lambda files: [SeenFile(path, *stamps) for path, stamps in files.items()])


@given(before=FILES, after=FILES, shrink=st.booleans())
def test_a_plan_accounts_for_every_file_once(before, after, shrink):
    made = plan(known(before), after, allow_shrink=shrink)
    assert sorted((*made.add, *made.change)) == sorted(
        file.path for file in after if known(before).get(file.path) != file
    )
    assert made.unchanged + len(made.add) + len(made.change) == len(after)
    assert set(made.lost) == {file.path for file in before} - {file.path for file in after}
    assert made.remove == (() if made.refused else made.lost)
    assert not (shrink and made.refused)
