"""How was this fixed last time: asked of real stores, by words."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.source import Source
from pit_memory.errors import UsageError
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.searching.incident_search import search_incidents
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.incident_records import RECORDS

Ask = Callable[..., SearchAnswer]
POOL = "docs/incidents/2024-05-17-checkout.md"
LOGS = "docs/incidents/2023-03-02-logs.md"
TRACE = """\
2026-01-01 10:11:12,345 ERROR [worker-7] Request 8f14e45f-ceea-467f-a9d2-1d1f9d5b4f1e failed
Traceback (most recent call last):
  File "/app/shop/cart.py", line 12, in add
    self.pool.get()
  File "/usr/lib/python3.11/site-packages/pool.py", line 3, in get
    raise PoolError
sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, timeout 30.00
"""


def record(date: str) -> str:
    return f"# Certificate expired\n\nDate: {date}\n\nThe certificate of the gateway expired.\n"


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Callable[[dict[str, str]], Ask]]:
    """Index files, and get a function that asks about them."""
    stores: list[Store] = []

    def index(files: dict[str, str]) -> Ask:
        root = write_files(tmp_path / f"tree{len(stores)}", files)
        store = Store.open(tmp_path / f"store{len(stores)}")
        stores.append(store)
        sync(store, [Source("", str(root), incidents=("docs/incidents/**",))])

        def ask(question: str, pending: int = 0, **options) -> SearchAnswer:
            request = SearchRequest(question, collection="incidents", **options)
            answer: SearchAnswer = search_incidents(
                [SearchedStore(store)], request, pending_files=pending
            )
            return answer

        return ask

    yield index
    for store in stores:
        store.close()


@pytest.fixture
def ask(asking: Callable[[dict[str, str]], Ask]) -> Ask:
    return asking(RECORDS)


def test_an_answer_leads_with_symptom_cause_resolution_date_and_service(ask: Ask):
    lines = answer_text(ask("customers get 502 at checkout")).split("\n")
    assert lines[0].startswith(f"1. {POOL}#")
    assert "2024-05-17 · checkout, payments · SEV-1 · lasted 2 h 10 min  Checkout" in lines[0]
    assert lines[1:4] == [
        "   5: symptom: Checkout returned 502 to one customer in five.",
        "   6: cause: The connection pool was exhausted by a retry loop in the payment client.",
        "   7: resolution: Lowered the retries to two and doubled the pool.",
    ]


def test_a_postmortem_without_front_matter_tells_its_story_too(ask: Ask):
    answer = ask("log shipping stopped on some nodes")
    assert answer.hits[0].path == LOGS
    assert [line.text.partition(":")[0] for line in answer.hits[0].snippet] == [
        "symptom",
        "cause",
        "resolution",
    ]


def test_a_pasted_trace_finds_the_record_that_quotes_its_error(ask: Ask):
    assert ask(TRACE).hits[0].path == POOL


def test_related_docs_follow_and_are_marked(ask: Ask):
    answer = ask("checkout answers 502, payment client has no connection")
    assert [hit.path for hit in answer.hits[:2]] == [POOL, "docs/checkout.md"]
    assert not answer.hits[0].is_related
    assert answer.hits[1].is_related
    assert answer_text(answer).split("\n")[4].endswith(" · docs")


@pytest.mark.parametrize(
    "question",
    [
        "NodeFilesystemAlmostOutOfSpace",
        json.dumps(
            {
                "labels": {"alertname": "NodeFilesystemAlmostOutOfSpace", "severity": "warning"},
                "annotations": {"summary": "Checkout has less than 3% disk space left on a node."},
            }
        ),
    ],
    ids=["name", "payload"],
)
def test_for_an_alert_its_runbook_leads(ask: Ask, question: str):
    answer = ask(question)
    assert answer.hits[0].path == "docs/runbooks/disk.md"
    assert " · runbook\n" in answer_text(answer)


def test_a_page_called_like_the_alert_leads_whatever_else_the_alert_says(asking):
    pages = {
        "docs/howto/error-rate.md": "# High error rate\n\nRoll back the release of that hour.\n",
        "docs/howto/mail.md": "# Mail\n\nThe queue of mails is stuck: restart the relay.\n",
    }
    ask = asking(RECORDS | pages)
    alert = {
        "labels": {"alertname": "HighErrorRate", "service": "checkout", "severity": "critical"},
        "annotations": {
            "summary": "checkout 502 rate is 12 %",
            "description": (
                "pool exhausted: QueuePool limit of size 20 overflow 0 reached, connection timed "
                "out after thirty seconds while payments were waiting behind a scheduled vacuum"
            ),
        },
    }
    assert ask(json.dumps(alert)).hits[0].path == "docs/howto/error-rate.md"


def test_a_page_called_like_the_alert_leads_wherever_it_lies(asking):
    ask = asking({"docs/KubeApiDown.md": "# KubeApiDown\n\nLook at the API servers first.\n"})
    assert ask('{"labels": {"alertname": "KubeApiDown"}}').hits[0].path == "docs/KubeApiDown.md"


def test_where_no_incident_is_alike_the_answer_says_so_and_shows_docs(ask: Ask):
    text = answer_text(ask("delete old container images of a node", since="2024-01-01"))
    assert text.startswith("no incident resembles this; what the docs say:")
    assert "docs/runbooks/disk.md" in text


def test_where_nothing_is_alike_the_answer_says_so(ask: Ask):
    answer = ask("vacation policy for contractors in Portugal")
    assert answer.abstained
    assert answer_text(answer).startswith("nothing found: no incident resembles this")


def test_services_and_dates_are_asked_inside_the_engines(ask: Ask):
    def found(**options):
        answer = ask("what stopped, failed or was slow", mode="keyword", **options)
        return {hit.path for hit in answer.hits if hit.incident}

    assert found(services=("Checkout",)) <= {POOL}
    answer = ask("nodes stopped shipping logs", since="2024-01-01")
    assert LOGS not in {hit.path for hit in answer.hits}
    assert "1 without a date, so not in an answer since 2024-01-01" in answer.notes


def test_a_service_nobody_named_is_said_with_the_nearest(ask: Ask):
    answer = ask("502", services=("chekout",))
    assert "no incident names the service chekout; did you mean checkout?" in answer.notes


def test_a_project_without_records_says_how_to_begin(asking):
    ask = asking({"docs/a.md": "# Widgets\n\nThey turn.\n"})
    assert any("no incident records yet" in note for note in ask("why do widgets turn").notes)
    being_indexed = ask("why do widgets turn", pending=2).notes
    assert not any("no incident records yet" in note for note in being_indexed)


def test_the_newer_of_two_equal_incidents_comes_first(asking):
    ask = asking(
        {
            "docs/incidents/a.md": record("2022-01-01"),
            "docs/incidents/b.md": record("2024-01-01"),
            "docs/incidents/c.md": record("2023-01-01"),
        }
    )
    hits = ask("gateway certificate expired").hits
    assert [hit.path[-4] for hit in hits] == ["b", "c", "a"]


def test_an_incident_of_the_very_day_is_found_by_its_date(asking):
    ask = asking(
        {
            "docs/incidents/a.md": record("2022-03-05"),
            "docs/incidents/b.md": record("2024-01-01"),
        }
    )
    hits = ask("what happened with the certificate on 5 March 2022?").hits
    assert hits[0].path == "docs/incidents/a.md"


@pytest.mark.parametrize(
    "question",
    [
        "what happened on 2024-03-14",
        "2024-03-14",
        "incidents of 14 March 2024",
        "what broke in March 2024?",
        "2024-03",
        "what happened with production databases on 14 March 2024",
    ],
)
def test_all_records_of_the_day_or_month_that_is_asked_for_come_first(asking, question: str):
    own = {
        "a": "What happened: the pool was exhausted.\n\n## Root cause\n\nLoop since 2024-03-14.",
        "b": "The worker died. It happened on 2024-03-14 and again.",
        "c": "The gateway was unreachable.",
    }
    others = {f"d{month}": f"What happened {month} times in production." for month in range(1, 9)}
    days = dict.fromkeys(own, "2024-03-14") | {name: f"2022-0{name[1]}-03" for name in others}
    ask = asking(
        {
            f"docs/incidents/{name}.md": f"# Story {name}\n\nDate: {days[name]}\n\n{text}\n"
            for name, text in (own | others).items()
        }
    )
    found = [hit.path[len("docs/incidents/") : -len(".md")] for hit in ask(question, limit=20).hits]
    assert set(own) <= set(found)
    if "databases" not in question:
        assert set(found[:3]) == set(own)


def test_a_month_beside_a_subject_is_no_answer_by_itself(asking):
    ask = asking({"docs/incidents/a.md": record("2024-03-14")})
    answer = ask("who won the football championship final in March 2024")
    assert answer.abstained


def test_incidents_are_no_hits_of_the_docs_and_customers_do_not_hear_of_team_services(
    tmp_path: Path,
):
    root = write_files(tmp_path / "tree", RECORDS)
    store = Store.open(tmp_path / "store")
    sync(store, [Source("", str(root), incidents=("docs/incidents/**",))])
    searched = [SearchedStore(store)]
    docs = search(searched, SearchRequest("checkout returned 502 connection pool"))
    assert {hit.path for hit in docs.hits} == {"docs/checkout.md"}

    request = SearchRequest("502", collection="incidents", services=("chekout",))
    answer = search_incidents(searched, replace(request, audiences=("customer",)))
    assert answer.hits == ()
    assert not any("checkout" in note.replace("chekout", "") for note in answer.notes)
    store.close()


@pytest.mark.parametrize(
    "question", ["{" * 500, "\0", "at at at", '{"alerts": []}', "Traceback", "2024-05-17"]
)
def test_odd_questions_get_an_answer(ask: Ask, question: str):
    assert isinstance(answer_text(ask(question)), str)


def test_an_empty_question_is_refused(ask: Ask):
    with pytest.raises(UsageError, match="empty"):
        ask("  \n")


def test_the_budget_keeps_whole_stories(ask: Ask):
    answer = ask("nodes, checkout, search: what failed, was slow or stopped", budget=120)
    assert answer.used_tokens <= 120
    assert len(answer.hits[0].snippet) in {0, 1, 3}
