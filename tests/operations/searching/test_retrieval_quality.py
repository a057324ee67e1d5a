"""What is found on a labelled set, by words alone: the floor that no change may fall through."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pit_memory.core.source import Source
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.searching.evaluate import evaluate, parse_queries, run_line
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.eval_corpora import corpus_files, json_lines, scorer

SET = "obsidian-tasks-vault"
ANOTHER_SUBJECT = "k8s-alerts"
EVERY = 5
"""Questions asked for the floor: one in so many."""


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchedStore]:
    folder = tmp_path_factory.mktemp("vault")
    root = write_files(folder / "corpus", corpus_files(SET))
    store = Store.open(folder / "store")
    sync(store, [Source("", str(root))])
    yield SearchedStore(store)
    store.close()


def questions(eval_set: str) -> list[dict[str, Any]]:
    return json_lines(f"eval/{eval_set}/queries.jsonl")


@pytest.mark.timeout(120)
def test_words_alone_rank_as_well_as_was_measured(vault: SearchedStore):
    asked = questions(SET)
    lines = [json.dumps(question) for question in asked]
    run = [json.loads(run_line(result)) for result in evaluate([vault], parse_queries(lines))]
    score = scorer()
    found, leaks, _ = score.score(asked, json_lines(f"eval/{SET}/qrels.jsonl"), run)
    exact = {question["id"] for question in asked if question["type"] == "exact-token"}
    of_exact = [measures for name, measures in found["heading"].items() if name in exact]
    assert score.mean(list(found["document"].values()))["nDCG@10"] >= 0.865
    assert score.mean(list(found["heading"].values()))["nDCG@10"] >= 0.90
    assert score.mean(of_exact)["S@1"] >= 0.98
    assert leaks == 0


@pytest.mark.timeout(120)
def test_its_own_questions_are_answered_and_those_of_another_subject_are_not(vault: SearchedStore):
    def refused(eval_set: str) -> float:
        asked = questions(eval_set)[::EVERY]
        answers = [search([vault], SearchRequest(question["query"])) for question in asked]
        return sum(answer.abstained for answer in answers) / len(answers)

    assert refused(SET) <= 0.02
    assert refused(ANOTHER_SUBJECT) >= 0.85
