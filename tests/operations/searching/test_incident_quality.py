"""What the labelled sets of incidents find, by words alone: the floor of every change."""

import json
from pathlib import Path

import pytest

from pit_memory.core.source import Source
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.searching.evaluate import evaluate, parse_queries, run_line
from pit_memory.operations.searching.search import SearchedStore
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.eval_corpora import corpus_files, json_lines, scorer

FLOORS = {"k8s-alerts": 0.92, "postmortems": 0.955, "dfds-postmortems": 0.90}
"""Two to ten thousandths below what was measured."""


@pytest.mark.timeout(180)
@pytest.mark.parametrize("eval_set", FLOORS)
def test_words_alone_find_incidents_and_runbooks_as_well_as_was_measured(
    eval_set: str, tmp_path: Path
):
    asked = json_lines(f"eval/{eval_set}/queries.jsonl")
    root = write_files(tmp_path / "corpus", corpus_files(eval_set))
    store = Store.open(tmp_path / "store")
    sync(store, [Source("", str(root), incidents=("incidents/**",))])
    queries = parse_queries([json.dumps(question) for question in asked])
    answered = evaluate([SearchedStore(store)], queries, collection="incidents")
    run = [json.loads(run_line(result)) for result in answered]
    score = scorer()
    found, _, _ = score.score(asked, json_lines(f"eval/{eval_set}/qrels.jsonl"), run)
    assert score.mean(list(found["document"].values()))["nDCG@10"] >= FLOORS[eval_set]
    store.close()


@pytest.mark.timeout(180)
def test_the_raw_payload_of_an_alert_finds_what_its_summary_does(tmp_path: Path):
    summaries = [
        it for it in json_lines("eval/k8s-alerts/queries.jsonl") if it["type"] == "alert-summary"
    ]
    store = Store.open(tmp_path / "store")
    sync(store, [Source("", str(write_files(tmp_path / "corpus", corpus_files("k8s-alerts"))))])
    labels = {"namespace": "shop", "pod": "api-7d9f8b6c5d-x2x4q", "severity": "warning"}

    def quality(rewrite) -> float:
        lines = [json.dumps({"id": it["id"], "query": rewrite(it["query"])}) for it in summaries]
        answered = evaluate([SearchedStore(store)], parse_queries(lines), collection="incidents")
        run = [json.loads(run_line(result)) for result in answered]
        score = scorer()
        found, _, _ = score.score(summaries, json_lines("eval/k8s-alerts/qrels.jsonl"), run)
        mean: float = score.mean(list(found["document"].values()))["nDCG@10"]
        return mean

    def payload(summary: str) -> str:
        alert = {
            "status": "firing",
            "labels": labels,
            "annotations": {"summary": summary},
            "startsAt": "2024-05-17T10:11:12.123Z",
            "fingerprint": "ab12cd34ef56ab78",
        }
        return json.dumps({"version": "4", "alerts": [alert], "commonLabels": labels}, indent=1)

    assert quality(payload) >= quality(str) - 0.03
    store.close()
