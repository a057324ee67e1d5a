from collections import Counter

from pit_memory.core.indexing.keyword_entry import entries_for
from tests.index_builders import markdown

TEXT = """\
---
title: Upgrades
description: How to upgrade the fleet
tags: [ops]
aliases: [rollout]
---
Before the first heading.

# Qdrant

## Pinning the client

The `qdrant-client` is pinned to v1.18.0.
"""


def tokens(text: str = TEXT, path: str = "docs/howto/upgrade.md"):
    return [Counter(entry.exact.split()) for entry in entries_for(markdown(path, text))]


def test_a_document_has_an_entry_for_each_chunk_in_order():
    document = markdown("docs/a.md", TEXT)
    entries = entries_for(document)
    assert len(entries) == len(document.chunks) == 3
    assert "before" in entries[0].exact.split()
    assert "v1.18.0" in entries[2].exact.split()


def test_headings_weigh_four_times_ancestors_and_title_twice():
    pinning = tokens()[2]
    assert pinning["pinning"] == 4 + 1  # the chunk's text begins with its heading
    assert pinning["qdrant"] == 2 + 1
    assert pinning["upgrades"] == 2
    assert pinning["client"] == 4 + 1 + 1


def test_every_chunk_is_found_by_its_path():
    for entry in tokens():
        assert entry["howto"] == 1
        assert entry["md"] == 0


def test_description_tags_and_aliases_stand_for_the_page_in_its_first_chunk():
    first, *others = tokens()
    assert (first["fleet"], first["ops"], first["rollout"]) == (2, 2, 2)
    assert all(not entry["rollout"] for entry in others)


def test_the_stems_field_holds_forms_alike():
    entry = entries_for(markdown("a.md", TEXT))[2]
    assert Counter(entry.stems.split())["pin"] == 4 + 1 + 1  # "pinned" as well


def test_the_literal_field_is_the_folded_text_of_the_chunk():
    document = markdown("a.md", "# Über\n\nSet FOO=bar\n")
    assert [entry.literal for entry in entries_for(document)] == ["# uber\n\nset foo=bar"]
