import pytest

from pit_memory.core.documents.copies import copy_name, path_without_variant, recency


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("docs/v1/setup/keys.md", "docs/v2/setup/keys.md"),
        ("keys.md", "keys.de.md"),
        ("en/howto/index.md", "de/howto/index.md"),
        ("versioned_docs/version-1.2/keys.md", "docs/keys.md"),
        ("README.md", "v2/README.md"),
    ],
)
def test_copies_of_a_page_have_one_name(one, other):
    assert copy_name(one) == copy_name(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("docs/keys.md", "docs/locks.md"),
        ("howto/index.md", "reference/index.md"),
        ("a/README.md", "README.md"),
        ("2.13-2.14.md", "2.14-3.0.md"),
    ],
)
def test_pages_of_other_names_are_no_copies(one, other):
    assert copy_name(one) != copy_name(other)


def test_translations_have_one_path():
    assert path_without_variant("docs/en/howto/keys.md") == path_without_variant(
        "docs/de/howto/keys.md"
    )
    assert path_without_variant("howto/keys.md") == path_without_variant("howto/keys.pt-br.md")
    assert path_without_variant("a/keys.md") != path_without_variant("b/keys.md")


def test_readers_want_the_newest_released_version():
    paths = ["latest/a.md", "v1.10/a.md", "next/a.md", "v1.9/a.md"]
    assert sorted(paths, key=recency) == ["next/a.md", "v1.9/a.md", "v1.10/a.md", "latest/a.md"]
    assert recency("a.md") == recency("stable/a.md")
