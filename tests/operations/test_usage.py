"""What searches came to, as `status` says it where nobody scrapes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pit_memory.cli import main
from pit_memory.core.answers.answers import LegReport, SearchAnswer
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.upkeep import status as status_operation
from pit_memory.operations.usage import UsageCounter, read_usage
from pit_memory.wiring import open_services
from tests.builders import write_files

pytestmark = pytest.mark.timeout(90)

RAN = LegReport("ran", "")
ANSWER = SearchAnswer("q", "hybrid", abstained=False, hits=(), keyword=RAN, semantic=RAN,
                      used_tokens=0, budget=800, more=0, pending_files=0)  # fmt: skip
FAILED = replace(ANSWER, semantic=LegReport("degraded", "Ollama is out of reach", failed=True))


def test_many_processes_and_threads_count_together(tmp_path):
    def work(_):
        counter = UsageCounter(tmp_path)
        for _ in range(20):
            counter.add("docs", ANSWER)
        counter.add("incidents", FAILED)
        while True:
            counter.save()
            if not counter._new.searches:
                return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    used = read_usage(tmp_path)
    assert (used.searches, used.by_words_only, used.incident_searches) == (84, 4, 4)
    assert used.last_error == "Ollama is out of reach"


def test_a_long_lived_process_writes_down_every_half_minute(tmp_path):
    now = 1_000.0
    counter = UsageCounter(tmp_path, lambda: now)
    counter.add("docs", ANSWER)
    assert not read_usage(tmp_path).searches

    now = 1_031.0
    counter.add("docs", ANSWER)

    assert read_usage(tmp_path).searches == 2
    assert read_usage(tmp_path).since == 1_000.0


def test_what_cannot_be_written_leaves_nothing_behind_and_is_kept(tmp_path):
    (tmp_path / "usage.json").mkdir()
    counter = UsageCounter(tmp_path)
    counter.add("docs", ANSWER)
    counter.save()
    assert not list(tmp_path.rglob("*.tmp"))

    (tmp_path / "usage.json").rmdir()
    counter.save()
    assert read_usage(tmp_path).searches == 1


@pytest.mark.parametrize("content", ["", "{", "[]", '{"nothing": 1}'])
def test_a_damaged_file_counts_from_zero(tmp_path, content):
    (tmp_path / "usage.json").write_text(content)
    assert read_usage(tmp_path).searches == 0


def test_status_says_what_searches_came_to(tmp_path, capsys, monkeypatch):
    project = write_files(tmp_path / "project", {"docs/a.md": "# Alpha\n\nThe zanzibar valve.\n"})
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "ollama")
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_URL", "http://127.0.0.1:9")
    with open_services(project, background="none", canary=True) as services:
        services.search(SearchRequest("zanzibar"))
        services.search(SearchRequest("quagga"))
        services.check_canary()

    assert main(["status", "--root", str(project)]) == 0

    out = capsys.readouterr().out
    assert "2 since" in out
    assert "1 found nothing" in out
    assert "2 by words only, last" in out
    assert "(Ollama at http://127.0.0.1:9 is out of reach" in out


def test_status_says_where_the_local_scan_should_give_way(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(status_operation, "LOCAL_SCAN_CHUNKS", 0)
    project = write_files(tmp_path / "project", {"docs/a.md": "# Alpha\n\nThe zanzibar valve.\n"})
    assert main(["search", "zanzibar", "--root", str(project), "--mode", "keyword"]) == 0
    assert main(["status", "--root", str(project)]) == 0
    assert "a Qdrant server answers sooner" in capsys.readouterr().out
