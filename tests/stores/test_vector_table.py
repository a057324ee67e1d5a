from contextlib import closing
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.stores.vector_table import Rows, VectorTable
from pit_memory.workspace.side_thread import SideThread
from tests.vector_builders import DIMENSION, unit_vectors


def rows(*pairs, seed=0):
    """Rows of (document, chunk) pairs with random vectors."""
    documents, chunks = (np.array(ids, dtype=np.int64) for ids in zip(*pairs, strict=True))
    return Rows.of(chunks, documents, unit_vectors(len(pairs), seed=seed))


def brute_force(contents, question, wanted, limit):
    """Filter, then score, then take the best: `contents` maps chunk to (document, vector)."""
    scored = [
        (-float(vector @ question), chunk)
        for chunk, (document, vector) in contents.items()
        if wanted is None or document in wanted
    ]
    return [chunk for _, chunk in sorted(scored)][:limit]


def page_cosines(contents, question, documents):
    cosines = {}
    for document in documents:
        mean = np.mean([v for d, v in contents.values() if d == document], axis=0)
        cosines[document] = float(mean @ question / np.linalg.norm(mean))
    return cosines


@st.composite
def histories(draw):
    """What happens to a store: each step replaces some documents and brings rows in."""
    step = st.dictionaries(st.integers(1, 12), st.integers(0, 4), max_size=6)
    return draw(st.lists(step, min_size=1, max_size=6))


@given(
    history=histories(),
    compactions=st.sets(st.integers(0, 5)),
    wanted=st.none() | st.sets(st.integers(1, 12)),
    limit=st.integers(1, 30),
    seed=st.integers(0, 1000),
)
def test_filter_then_rank_equals_brute_force_whatever_happened_before(
    history, compactions, wanted, limit, seed
):
    table = VectorTable.empty(DIMENSION)
    contents: dict[int, Any] = {}
    next_chunk = 1
    for number, step in enumerate(history):
        contents = {c: (d, v) for c, (d, v) in contents.items() if d not in step}
        pairs = []
        for document, count in step.items():
            pairs += [(document, next_chunk + i) for i in range(count)]
            next_chunk += count
        more = rows(*pairs, seed=seed + number) if pairs else Rows.none(DIMENSION)
        for place, chunk in enumerate(more.chunks.tolist()):
            contents[chunk] = (int(more.documents[place]), more.vectors[place])
        table = table.changed(step, more)
        if number in compactions:
            table = table.compact()
    question = unit_vectors(1, seed=seed + 999)[0]

    ranked = table.rank(question, table.allowed(wanted), limit)

    assert len(table) == len(contents)
    assert [chunk for chunk, _ in ranked.chunks] == brute_force(contents, question, wanted, limit)
    expected = page_cosines(contents, question, {contents[c][0] for c, _ in ranked.chunks})
    assert ranked.pages == pytest.approx(expected, abs=1e-5)
    for chunk, score in ranked.chunks:
        assert score == pytest.approx(float(contents[chunk][1] @ question), abs=1e-6)


@pytest.mark.parametrize("kept", [0.02, 0.5, 1.0], ids=["gathered", "masked", "all"])
def test_few_and_many_allowed_rows_are_ranked_alike(kept):
    pairs = [(number // 5, number) for number in range(5_000)]
    whole = rows(*pairs)
    table = VectorTable.with_base(whole)
    contents = {
        chunk: (document, vector)
        for chunk, document, vector in zip(
            whole.chunks.tolist(), whole.documents.tolist(), whole.vectors, strict=True
        )
    }
    wanted = set(range(int(1_000 * kept)))
    question = unit_vectors(1, seed=9)[0]

    ranked = table.rank(question, table.allowed(wanted), 100)

    assert [c for c, _ in ranked.chunks] == brute_force(contents, question, wanted, 100)
    expected = page_cosines(contents, question, set(ranked.pages))
    assert ranked.pages == pytest.approx(expected, abs=1e-5)


def test_equal_scores_are_ordered_by_chunk_and_cut_there():
    same = unit_vectors(1).repeat(50, axis=0)
    chunks = np.random.default_rng(3).permutation(50).astype(np.int64)
    table = VectorTable.with_base(Rows.of(chunks, chunks % 7, same))

    ranked = table.rank(same[0], table.allowed(None), 10)

    assert [chunk for chunk, _ in ranked.chunks] == list(range(10))


def test_equal_rows_have_equal_scores_wherever_they_stand_and_whatever_is_asked_for():
    chunks = np.arange(101, dtype=np.int64)
    row, question = np.random.default_rng(1).normal(size=(2, 384)).astype(np.float32)
    table = VectorTable.with_base(Rows.of(chunks, chunks, row[np.newaxis].repeat(101, axis=0)))

    ranked = [table.rank(question, table.allowed(it), 101) for it in (None, {3, 50, 100})]

    assert len({score for each in ranked for _, score in each.chunks}) == 1


def test_a_large_table_that_two_threads_score_is_ranked_alike():
    count = 5_001
    ids = np.arange(count, dtype=np.int64)
    vectors = unit_vectors(count + 3, seed=1)
    table = VectorTable.with_base(Rows(ids, ids // 7, vectors[:count]))
    table = table.changed([3], Rows(ids[:2] + count, ids[:2] + count, vectors[count : count + 2]))
    rows, question = table.allowed(None), vectors[-1]
    with closing(SideThread()) as beside:
        assert table.rank(question, rows, 50, beside) == table.rank(question, rows, 50)


def test_nothing_allowed_is_an_empty_ranking():
    table = VectorTable.with_base(rows((1, 1), (2, 2)))

    for wanted in (set(), {7}):
        ranked = table.rank(unit_vectors(1)[0], table.allowed(wanted), 5)
        assert ranked.chunks == []
        assert ranked.pages == {}
    assert VectorTable.empty(DIMENSION).rank(unit_vectors(1)[0], np.array([], int), 5).chunks == []


def test_a_change_leaves_the_earlier_table_as_it_was():
    before = VectorTable.with_base(rows((1, 1), (2, 2)))
    question = unit_vectors(1, seed=5)[0]
    ranking = before.rank(question, before.allowed(None), 5)

    after = before.changed({1}, rows((3, 9), seed=4))

    assert before.rank(question, before.allowed(None), 5) == ranking
    assert {chunk for chunk, _ in after.rank(question, after.allowed(None), 5).chunks} == {2, 9}
    assert after.base is before.base
    assert after.scattered == 2
    assert after.compact().scattered == 0
