"""`eval run`: labelled questions through the very search path."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pit_memory.core.search.question_sets import gold_line, query_line
from pit_memory.core.source import Source
from pit_memory.errors import UsageError
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.quality.make_questions import make_questions
from pit_memory.operations.searching.evaluate import (
    EvaluationQuery,
    evaluate,
    parse_queries,
    run_line,
)
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search
from pit_memory.stores.store import Store
from tests.builders import write_files


@pytest.fixture
def searched(tmp_path: Path) -> Iterator[SearchedStore]:
    text = "# Page {number}\n\nThe lease number {number} of {folder} expires.\n"
    pages = {
        f"{folder}/page{number}.md": text.format(number=number, folder=folder)
        for folder in ("one", "two")
        for number in range(12)
    }
    intro = {"one/intro.md": "A lease before any heading.\n\n# Later\n\nOther words.\n"}
    root = write_files(tmp_path / "project", pages | intro)
    store = Store.open(tmp_path / "store")
    sync(store, [Source("", str(root))])
    yield SearchedStore(store)
    store.close()


def ask(searched: SearchedStore, query: EvaluationQuery, limit: int = 20):
    [result] = evaluate([searched], [query], limit=limit)
    return result.results


def test_results_are_those_of_a_search_in_its_order(searched: SearchedStore):
    question = "lease number 7 expires"
    answer = search([searched], SearchRequest(question, limit=3))
    expected = [(hit.path, hit.anchor or None) for hit in answer.hits]
    assert list(ask(searched, EvaluationQuery("q", question)))[: len(expected)] == expected


def test_floor_and_budget_do_not_cut_the_ranking(searched: SearchedStore):
    question = "lease and forty other unrelated words about gardening in the mountains of Peru"
    assert search([searched], SearchRequest(question)).abstained
    assert len(ask(searched, EvaluationQuery("q", question))) == 20


def test_excluded_pages_are_dropped_while_ten_others_remain(searched: SearchedStore):
    page = ("one/page3.md",)
    results = ask(searched, EvaluationQuery("q", "lease number", exclude=page))
    assert len(results) == 20
    assert page[0] not in dict(results)
    few = EvaluationQuery("q", "page3", exclude=page, scope="one/page3.md")
    assert ask(searched, few) == (("one/page3.md", "page-3"),)


def test_a_scope_is_a_folder_that_answers_lie_below(searched: SearchedStore):
    results = ask(searched, EvaluationQuery("q", "lease number", scope="two"))
    assert len(results) == 12
    assert all(path.startswith("two/") for path, _ in results)


def test_lines_before_the_first_heading_have_no_anchor(searched: SearchedStore):
    assert ask(searched, EvaluationQuery("q", "before any heading"))[0] == ("one/intro.md", None)


def test_a_run_file_has_a_line_a_query_in_order(searched: SearchedStore):
    queries = parse_queries(['{"id": "b", "query": "lease 1"}', "", '{"id": "a", "query": "???"}'])
    lines = [json.loads(run_line(result)) for result in evaluate([searched], queries, limit=2)]
    assert [line["query_id"] for line in lines] == ["b", "a"]
    assert [list(result) for result in lines[0]["results"]] == [["path", "anchor"]] * 2
    assert lines[1]["results"] == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "line 2 is not an object"),
        ('{"query": "x"}', "line 2: 'id' is None; it must be a text"),
        ('{"id": "1"}', "line 2: 'query' is None; it must be a text"),
        ('{"id": "1", "query": 3}', "line 2: 'query' is 3; it must be a text"),
        (
            '{"id": "1", "query": "x", "exclude": "a"}',
            "line 2: 'exclude' is 'a'; it must be a list",
        ),
        ('{"id": "1", "query": "x", "scope": 1}', "line 2: 'scope' is 1; it must be a text"),
    ],
)
def test_a_bad_line_is_told_by_number_and_field(line: str, said: str):
    with pytest.raises(UsageError, match=said):
        parse_queries(['{"id": "0", "query": "fine", "type": "any"}', line])


def test_questions_made_of_links_are_answered_by_what_the_links_lead_to(tmp_path: Path):
    pages = {
        "docs/keys.md": "# Keys\n\n## Rotation of keys\n\nThe job changes them nightly.\n",
        "docs/start.md": "# Start\n\nAll about it: [rotation of keys](keys.md#rotation-of-keys).\n",
        "docs/other.md": "# Other\n\nOf trees and birds.\n",
    }
    root = write_files(tmp_path / "project", pages)
    store = Store.open(tmp_path / "store")
    sync(store, [Source("", str(root))])
    questions = make_questions(store.catalogue, root, limit=10)
    queries = parse_queries(map(query_line, questions))
    [first, *_] = evaluate([SearchedStore(store)], queries)
    gold = json.loads(gold_line(questions[0]))
    assert (gold["path"], gold["anchor"]) == ("docs/keys.md", "rotation-of-keys")
    assert ("docs/keys.md", "rotation-of-keys") in first.results[:2]
    assert queries[0].exclude == ("docs/start.md",)
    store.close()
