import json
import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pit_memory.core.documents.documents import Document
from pit_memory.core.indexing.keyword_entry import entries_for
from pit_memory.core.search.legs import KeywordTerms, SearchFilters
from pit_memory.errors import StorageFullError, StoreCorruptError, UsageError
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.keyword_index import KeywordIndex
from pit_memory.stores.rows import WholeDocument
from tests import machine
from tests.index_builders import EVERYTHING, markdown, put, terms

ODD_QUESTIONS = [
    "--flag",
    "a:b",
    '"unclosed',
    "NOT x",
    "a AND",
    "http://example.org/?q=1&r=[2]",
    "10.0.0.5:8080",
    "x" * 10_000,
    "!?.,;/#",
    "文書検索",
    "مرحبا بالعالم",
    "🙂",
    "\x00",
]


def whole(row_id: int, document: Document, source: str = "") -> WholeDocument:
    """A document as the catalogue hands it to a follower; chunk ids count on from 100 x its id."""
    chunk_ids = tuple(100 * row_id + number for number in range(len(document.chunks)))
    return WholeDocument(row_id, source, document, chunk_ids)


@pytest.fixture
def index(tmp_path: Path) -> KeywordIndex:
    return KeywordIndex.create(tmp_path / "keywords")


def chunks(index: KeywordIndex, question: str, filters: SearchFilters = EVERYTHING) -> list[int]:
    return [row_id for row_id, _ in index.rank(terms(question), filters, 10)]


def test_chunks_are_found_by_their_words_best_first(index: KeywordIndex):
    index.apply(
        [],
        [
            whole(1, markdown("lease.md", "# Lease\n\nA lease expires.\n\n## Renewal\n\nRenew.\n")),
            whole(2, markdown("other.md", "# Other\n\nIt mentions the lease once.\n")),
        ],
        entries_for,
    )

    ranked = index.rank(terms("lease renewal"), EVERYTHING, 10)

    assert [row_id for row_id, _ in ranked] == [101, 100, 200]
    assert ranked[0][1] > ranked[1][1] > 0
    assert index.chunk_count() == 3


def test_frequencies_count_chunks(index: KeywordIndex):
    index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n\n## B\n\nleases\n"))], entries_for)

    assert index.chunk_frequencies(["leas", "renew"]) == [2, 0]


def test_applying_the_same_batch_twice_is_harmless(index: KeywordIndex):
    batch = [whole(1, markdown("a.md", "# A\n\nlease\n"))]
    index.apply([], batch, entries_for)
    once = index.rank(terms("lease"), EVERYTHING, 10)
    index.apply([], batch, entries_for)

    assert index.rank(terms("lease"), EVERYTHING, 10) == once
    assert index.held() == frozenset({100})


def test_a_changed_document_answers_only_as_it_is_now(index: KeywordIndex):
    index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n\n## B\n\nquota\n"))], entries_for)
    index.apply([], [whole(1, markdown("a.md", "# A\n\nrental\n"))], entries_for)

    assert chunks(index, "lease") == []
    assert chunks(index, "rental") == [100]
    assert index.held() == frozenset({100})


def test_a_removed_document_does_not_answer(index: KeywordIndex):
    index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n"))], entries_for)
    index.apply([1], [], entries_for)

    assert chunks(index, "lease") == []
    assert index.held() == frozenset()


@pytest.mark.parametrize("question", ODD_QUESTIONS, ids=lambda text: text[:12])
def test_no_question_raises(index: KeywordIndex, question: str):
    index.apply([], [whole(1, markdown("a.md", f"# A\n\n{question}\n"))], entries_for)

    index.rank(terms(question), EVERYTHING, 10)
    index.rank(KeywordTerms((question,), (question,)), EVERYTHING, 10)
    index.holding(question, EVERYTHING, 10)


def test_a_literal_is_found_inside_longer_words_and_given_up_where_frequent(index: KeywordIndex):
    index.apply(
        [],
        [
            whole(1, markdown("a.md", "# A\n\nSet --plugin-dir=x and MAX_MCP_OUTPUT.\n")),
            whole(2, markdown("b.md", "# B\n\nthe plugin directory\n")),
        ],
        entries_for,
    )

    assert index.holding("--plugin-dir", EVERYTHING, 5) == [100]
    assert index.holding("mcp_out", EVERYTHING, 5) == [100]
    assert index.holding("nowhere", EVERYTHING, 5) == []
    assert index.holding("plugin", EVERYTHING, 1) is None
    assert index.holding("ab", EVERYTHING, 5) is None


def test_another_object_sees_a_commit_after_reloading(index: KeywordIndex):
    reader = KeywordIndex.open(index.folder)
    index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n"))], entries_for)
    assert chunks(reader, "lease") == []

    reader.reload()
    assert chunks(reader, "lease") == [100]


def _die(_: Document) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _apply_and_die(folder: Path) -> None:
    """Be killed when the writer has forgotten the old entries and has no new ones yet."""
    KeywordIndex.open(folder).apply([], [whole(1, markdown("a.md", "# A\n"))], _die)


def test_a_writer_that_was_killed_leaves_the_last_commit(index: KeywordIndex):
    index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n"))], entries_for)
    victim = multiprocessing.get_context("spawn").Process(
        target=_apply_and_die, args=(index.folder,)
    )
    victim.start()
    victim.join()
    assert victim.exitcode == -signal.SIGKILL

    index.apply([], [whole(2, markdown("b.md", "# B\n\nlease\n"))], entries_for)
    assert sorted(chunks(index, "lease")) == [100, 200]


def test_many_small_commits_leave_few_files(index: KeywordIndex):
    for number in range(1, 41):
        index.apply(
            [], [whole(number % 7, markdown("a.md", f"# A\n\nlease {number}\n"))], entries_for
        )

    assert len(json.loads((index.folder / "meta.json").read_text())["segments"]) <= 20
    assert len(list(index.folder.iterdir())) <= 200


def test_threads_search_while_one_writes(index: KeywordIndex):
    index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n"))], entries_for)
    written = threading.Event()

    def search(_: int) -> None:
        while not written.is_set():
            assert 100 in chunks(index, "lease")

    with ThreadPoolExecutor(4) as pool:
        searches = pool.map(search, range(4))
        for number in range(2, 8):
            document = markdown(f"{number}.md", "# B\n\nquota\n")
            index.apply([], [whole(number, document)], entries_for)
        written.set()
        list(searches)


def test_an_index_that_is_missing_or_has_other_fields_is_named(tmp_path: Path):
    with pytest.raises(StoreCorruptError, match=r"keywords is missing"):
        KeywordIndex.open(tmp_path / "keywords")


def test_a_full_disk_is_named_and_the_index_stays_as_it_was(tmp_path: Path):
    with machine.disk(tmp_path, "300k"):
        index = KeywordIndex.create(tmp_path / "keywords")
        index.apply([], [whole(1, markdown("a.md", "# A\n\nlease\n"))], entries_for)
        words = " ".join(f"word{number}" for number in range(20_000))

        with pytest.raises(StorageFullError, match=r"keywords.*free some space"):
            index.apply([], [whole(2, markdown("b.md", f"# B\n\n{words}\n"))], entries_for)

        assert chunks(KeywordIndex.open(index.folder), "lease") == [100]


def test_merges_may_be_left_for_later_and_what_was_written_is_found_meanwhile(index: KeywordIndex):
    number = 0
    while not index.is_merging:
        number += 1
        word = chr(ord("a") + number) * 5  # shares no part with the others
        document = markdown(f"{number}.md", f"# A\n\n{word}\n")
        index.apply([], [whole(number, document)], entries_for, leave_merges=True)
        assert chunks(index, word)[0] == 100 * number
        assert number < 20
    index.finish_merges()
    assert not index.is_merging
    assert chunks(KeywordIndex.open(index.folder), "bbbbb")[0] == 100


# Filters: the catalogue and the keyword index must let the same documents through.

PATHS = [
    "a.md",
    "docs/a.md",
    "docs/howto/a.md",
    "docs/howto/b.md",
    "docs2/a.md",
    "x [1].md",
    "文/書.md",
]
NAMES = st.sampled_from(
    [
        "docs",
        "docs/howto/",
        "./docs/a.md",
        "docs/**/a.md",
        "*.md",
        "a.md",
        "x [1].md",
        "文",
        "",
        "d*/",
    ]
)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalogue, KeywordIndex]]:
    """Documents of every sort in a catalogue and a keyword index."""
    folder = tmp_path_factory.mktemp("filters")
    catalogue = Catalogue.open(folder / "catalogue.sqlite3")
    choose = random.Random(1)  # noqa: S311 -- the same documents in every run
    for source in ("", "vault"):
        for folder_name in ("", "docs/", "deep/er/"):
            for path in PATHS:
                document = replace(
                    markdown(folder_name + path, "# Word\n\nword\n"),
                    kind=choose.choice(["document", "incident"]),
                    collection=choose.choice(["docs", "facts"]),
                    status=choose.choice(["published", "draft"]),
                    audience=choose.choice(["team", "customer"]),
                    assignment=choose.choice([None, "acme", "-", ""]),
                    tags=tuple(choose.sample(["Ops", "#ops", "ÄRGER", "x"], choose.randrange(3))),
                )
                put(catalogue, document, source=source)
    index = KeywordIndex.create(folder / "keywords")
    index.apply([], [*catalogue.whole_documents(catalogue.paths())], entries_for)
    yield catalogue, index
    catalogue.close()


FILTERS = st.builds(
    SearchFilters,
    collections=st.lists(st.sampled_from(["docs", "facts"]), max_size=2).map(tuple),
    kinds=st.sampled_from([(), ("incident",), ("incident", "document")]),
    statuses=st.sampled_from([(), ("published",)]),
    audiences=st.sampled_from([(), ("team",)]),
    assignment=st.sampled_from([None, "acme", "-", ""]),
    sources=st.sampled_from([(), ("",), ("vault",), ("", "vault")]),
    paths=st.lists(NAMES, max_size=2).map(tuple),
    left_out=st.lists(NAMES, max_size=1).map(tuple),
    tags=st.sampled_from([(), ("ops",), ("#OPS", "ärger")]),
)


@settings(max_examples=300, deadline=None)
@given(filters=FILTERS)
def test_catalogue_and_keyword_index_let_the_same_documents_through(
    both: tuple[Catalogue, KeywordIndex], filters: SearchFilters
):
    catalogue, index = both
    matching = catalogue.matching_documents(filters)
    expected = set(catalogue.paths()) if matching is None else matching
    ranked = index.rank(terms("word"), filters, 100)

    rows = catalogue.chunks([row_id for row_id, _ in ranked])
    assert {row.document.id for row in rows.values()} == expected


def test_a_scope_is_exact_and_no_scope_is_one_of_its_own(index: KeywordIndex):
    base = markdown("a.md", "# A\n\nword\n")
    index.apply(
        [],
        [
            whole(1, base),
            whole(2, replace(base, assignment="acme")),
            whole(3, replace(base, assignment="acme-2")),
        ],
        entries_for,
    )

    assert chunks(index, "word") == [100]
    assert chunks(index, "word", SearchFilters(assignment="acme")) == [200]
    assert chunks(index, "word", SearchFilters(assignment="acm")) == []


def test_a_glob_that_cannot_be_read_is_the_callers_mistake(index: KeywordIndex):
    with pytest.raises(UsageError, match=r"docs/\["):
        index.rank(terms("word"), SearchFilters(paths=("docs/[",)), 10)
