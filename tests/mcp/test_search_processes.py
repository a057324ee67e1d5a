"""A team's server answers by processes of its own: as right as by itself, whatever ends them."""

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from pit_memory.core.settings.server_settings import ServerSettings
from pit_memory.errors import StoreCorruptError, UsageError
from pit_memory.operations.indexing.look import LookReport
from pit_memory.operations.meter import Meter
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.services import Services
from pit_memory.server.on_demand import ServicesOnDemand
from pit_memory.server.search_child import CannotOpen, Question, _pickled, _Project
from pit_memory.server.search_processes import SearchProcesses, process_count
from pit_memory.wiring import open_services, settings_watch
from tests.builders import make_repository, write_files
from tests.builtin_model import builtin_embedder
from tests.machine import children, command_line
from tests.mcp.asgi import MCP_HEADERS, tool_call
from tests.mcp.front_client import is_alive
from tests.patience import wait_until
from tests.shared_material import MCP_SERVER

pytestmark = pytest.mark.timeout(120)

DOCS = {
    "docs/keys.md": "# Keys\n\n## Rotation\n\nRotate the signing key with `keyctl rotate`.\n",
    "docs/lamps.md": "# Lamps\n\n## Brightness\n\nMake a lamp brighter with the dimmer.\n",
    "docs/secret.md": "---\naudience: ai_internal\n---\n# Vault\n\nThe vault is behind the mill.\n",
    "docs/incidents/2026-01-02-mill.md": "# Mill stood still\n\n## Symptom\n\nNo flour.\n\n"
    "## Resolution\n\nOiled the axle of the mill.\n",
}
ENDS = ("pit_memory_search_process_ends_total", ())


class Answered:
    """Services whose searches two processes answer, beside what they have counted."""

    def __init__(self, project):
        self.meter = Meter()
        self.processes = SearchProcesses(project, 2, self.meter)
        self.services = ServicesOnDemand(
            lambda: open_services(
                project,
                background="none",
                shared=True,
                canary=True,
                meter=self.meter,
                answering=self.processes.for_new_services(),
            ),
            lambda: False,
            settings_watch(project),
        )

    def search(self, query, **more):
        return self.services.search(SearchRequest(query, **more))

    def refs(self, query, **more):
        return [hit.ref for hit in self.search(query, **more).hits]

    def all_ready(self):
        wait_until(lambda: self.processes.ready == 2)
        return [process.pid for process in self.processes._ready]

    def close(self):
        self.processes.close()
        self.services.close()


@pytest.fixture
def project(tmp_path):
    return make_repository(tmp_path / "a project", DOCS)


@contextmanager
def answering(project):
    answered = Answered(project)
    try:
        yield answered
    finally:
        answered.close()


@pytest.fixture
def answered(project, words_only):  # noqa: ARG001 -- the model takes long to load
    with answering(project) as made:
        made.search("keys")
        yield made


def test_a_process_answers_as_the_server_itself_does(project):
    builtin_embedder()  # or the test is skipped
    requests = [
        SearchRequest("how do I rotate the signing key"),
        SearchRequest("make the light stronger", mode="semantic"),
        SearchRequest("keyctl", mode="keyword", limit=1, path="docs"),
        SearchRequest("where is the vault", audiences=("team", "customer")),
        SearchRequest("where is the vault"),
        SearchRequest("no flour", collection="incidents"),
        SearchRequest("the signing key with keyctl rotate", quotes=True),
        SearchRequest("a subject of which nothing at all is written here, such as volcanoes"),
    ]
    with open_services(project, background="none", shared=True, canary=True) as alone:
        alone.sync()
        alone.finish_meaning()
        expected = [alone.search(request) for request in requests]
    with answering(project) as answered:
        answers = [answered.services.search(request) for request in requests]
        answered.all_ready()

    assert answers == expected
    assert [answer.semantic.state for answer in answers[:2]] == ["ran", "ran"]
    assert any(answer.abstained for answer in answers)
    assert ENDS not in answered.meter.counts()


def test_what_an_answer_says_is_counted_by_the_server(answered):
    answered.search("rotate the signing key")

    counts = answered.meter.counts()
    assert counts["pit_memory_searches_total", ("docs_search", "keyword")] == 2
    assert answered.meter.histograms()["pit_memory_search_seconds", ("docs_search", "words")]


def test_a_model_server_that_is_away_is_said_and_counted(project, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "ollama")
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_URL", "http://127.0.0.1:9")  # nobody listens there
    with answering(project) as answered:
        answer = answered.search("rotate the signing key")
        answered.all_ready()

    assert answer.hits[0].path == "docs/keys.md"
    assert answer.semantic.failed
    assert "Ollama at http://127.0.0.1:9 is out of reach" in answer.semantic.reason
    counts = answered.meter.counts()
    assert counts["pit_memory_semantic_errors_total", ()] == 1
    assert counts["pit_memory_degraded_answers_total", ("docs_search",)] == 1


def forget_looks(answered):
    with answered.services._services() as opened:
        opened.looker.forget()


def test_a_changed_a_new_and_a_removed_document_are_right_in_the_next_answer(answered, project):
    answered.all_ready()
    for number in range(4):  # the processes take turns, or one has all
        text = f"# Lamps\n\n## Brightness\n\nTurn the knob w{number}x.\n"
        write_files(
            project, {"docs/lamps.md": text, f"docs/n{number}.md": f"# New\n\nq{number}z\n"}
        )
        forget_looks(answered)

        (lamp,) = answered.search(f"w{number}x").hits
        assert f"w{number}x" in lamp.snippet[-1].text
        assert answered.refs(f"q{number}z")[0].startswith(f"docs/n{number}.md")

        (project / f"docs/n{number}.md").unlink()
        forget_looks(answered)
        assert answered.refs(f"q{number}z") == []


def test_a_setting_that_changes_holds_for_the_next_answer(answered, project):
    answered.all_ready()
    assert answered.refs("brightness of lamps")

    settings = '[search]\nexclude = ["docs/lamps.md"]\n[embedding]\nprovider = "ollama"\n'
    write_files(project, {".pit-memory.toml": settings})

    with ThreadPoolExecutor(4) as together:
        answers = list(together.map(answered.search, ["brightness of lamps"] * 8))
    assert not any(hit.path == "docs/lamps.md" for answer in answers for hit in answer.hits)
    said = [" ".join(answer.notes) for answer in answers]
    assert all("embedding.provider" in notes for notes in said), "which a project can't set"


def test_a_wrong_argument_is_told_as_by_the_server_itself(answered):
    with pytest.raises(UsageError, match="the question is empty"):
        answered.search(" ")
    answered.all_ready()


def test_an_index_that_was_begun_anew_answers_from_then_on(answered, project):
    with answered.services._services() as opened:
        store = opened.store
    answered.all_ready()
    store.keywords.rebuild()
    assert answered.refs("keyctl")[0].startswith("docs/keys.md#rotation")

    store.begin_anew(StoreCorruptError("it is damaged", store.catalogue.path))
    write_files(project, {"docs/new.md": "# New\n\nA brandnew page.\n"})
    forget_looks(answered)

    answer = answered.search("brandnew")
    assert answer.hits[0].ref.startswith("docs/new.md")
    assert answer.notes == ("it is damaged; it is built again from the files",)


QUESTION = Question(1, SearchRequest("keys"), LookReport(0, 0, ()), "a request")


def test_a_project_that_a_process_cannot_open_is_told_from_an_answer(tmp_path):
    with _Project(tmp_path / "nowhere") as unknown:
        reply = unknown.reply(QUESTION)

    assert isinstance(reply, CannotOpen)
    assert "nowhere is no folder" in reply.reason


@pytest.mark.usefixtures("words_only")
def test_a_defect_in_a_process_comes_with_its_place(project, monkeypatch):
    with _Project(project) as opened:
        opened.warm_up(1)
        monkeypatch.setattr(Services, "answer", lambda *_: 1 // 0)
        error = pickle.loads(_pickled(opened.reply(QUESTION)))  # noqa: S301 -- it is our own

    assert isinstance(error, ZeroDivisionError)
    (note,) = error.__notes__
    assert "1 // 0" in note


def test_an_error_that_cannot_be_sent_is_sent_as_text():
    class LocalError(Exception):
        pass

    error = pickle.loads(_pickled(LocalError("of some library")))  # noqa: S301 -- it is our own

    assert "LocalError: of some library" in str(error)


def test_an_error_that_names_a_damaged_file_comes_whole_from_another_process(tmp_path):
    damage = StoreCorruptError("it is damaged", tmp_path)
    error = pickle.loads(pickle.dumps(damage))  # noqa: S301 -- it is our own

    assert (str(error), error.path) == ("it is damaged", tmp_path)


def test_a_search_whose_process_is_killed_is_answered_and_the_process_replaced(answered, caplog):
    killed = answered.all_ready()
    for process in killed:
        os.kill(process, signal.SIGSTOP)  # so that it is at work when it is killed
    with ThreadPoolExecutor(3) as asking:
        searches = [asking.submit(answered.refs, "rotate the signing key") for _ in range(3)]
        wait_until(lambda: not answered.processes._free)
        for process in killed:
            os.kill(process, signal.SIGKILL)
        refs = [search.result(60)[0] for search in searches]

    assert all(ref.startswith("docs/keys.md#rotation") for ref in refs)
    assert not set(answered.all_ready()) & set(killed)
    assert answered.meter.counts()[ENDS] == 2
    told = [it.fields for it in caplog.records if it.getMessage() == "a search process ended"]
    assert [it["status"] for it in told] == ["SIGKILL", "SIGKILL"]
    assert answered.refs("brightness")[0].startswith("docs/lamps.md")


def test_a_process_that_does_not_answer_is_ended(answered, monkeypatch, caplog):
    monkeypatch.setattr("pit_memory.server.search_processes._ANSWER_SECONDS", 0.2)
    stopped = answered.all_ready()
    for process in stopped:
        os.kill(process, signal.SIGSTOP)

    assert answered.refs("brightness")[0].startswith("docs/lamps.md")

    wait_until(lambda: answered.meter.counts().get(ENDS) == 2)
    told = [it.fields for it in caplog.records if it.getMessage() == "a search process ended"]
    assert [it["status"] for it in told] == ["no answer in 0.2 s"] * 2


@pytest.mark.usefixtures("words_only")
def test_processes_that_cannot_start_leave_the_answers_to_the_server(project, monkeypatch, caplog):
    monkeypatch.setattr("pit_memory.server.search_processes._START", "{path}; raise SystemExit(3)")
    with answering(project) as answered:
        assert answered.refs("brightness")[0].startswith("docs/lamps.md")
        assert answered.meter.counts()[ENDS] >= 1
        assert answered.processes.ready == 0
    told = [it.fields for it in caplog.records if it.getMessage() == "a search process ended"]
    assert told[0]["status"] == "exit status 3"


@pytest.mark.usefixtures("words_only")
def test_a_process_of_another_version_is_not_asked(project, monkeypatch, caplog):
    monkeypatch.setattr("pit_memory.server.search_processes.__version__", "0.0.1")  # replaced since
    with answering(project) as answered:
        assert answered.refs("brightness")[0].startswith("docs/lamps.md")
        assert answered.processes.ready == 0
    told = [it.fields for it in caplog.records if it.getMessage() == "a search process ended"]
    assert "the server 0.0.1: start it again" in told[0]["status"]


@pytest.mark.usefixtures("words_only")
def test_closing_ends_the_processes_whatever_they_do(project):
    with answering(project) as answered:
        answered.search("keys")
        running = answered.all_ready()
        os.kill(running[0], signal.SIGSTOP)
    assert not [pid for pid in running if is_alive(pid)]
    assert ENDS not in answered.meter.counts()


def test_a_process_in_the_middle_of_a_search_ends_with_the_server():
    ours, theirs = socket.socketpair()
    busy = "import sys, time; from threading import Thread\n"
    busy += "from pit_memory.server.search_child import _end_with\n"
    busy += "Thread(target=_end_with, args=(int(sys.argv[1]),)).start(); time.sleep(100)"
    command = [sys.executable, "-c", busy, str(theirs.fileno())]
    environ = {**os.environ, "PYTHONPATH": str(MCP_SERVER)}
    with ours, subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environ) as process:
        theirs.close()
        ours.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize(("cores", "gigabytes", "expected"), [(1, 8, 0), (2, 8, 2), (64, 8, 4)])
def test_there_is_a_process_for_each_core_up_to_four(monkeypatch, cores, gigabytes, expected):
    monkeypatch.setattr("pit_memory.server.search_processes.cores", lambda: cores)
    monkeypatch.setattr(
        "pit_memory.server.search_processes.memory_bytes", lambda: gigabytes * 1_000_000_000
    )
    assert process_count(ServerSettings()) == expected
    assert process_count(ServerSettings(processes=1)) == 0
    assert process_count(ServerSettings(processes=3)) == 3


def test_a_small_machine_has_no_processes_that_it_has_no_memory_for(monkeypatch):
    monkeypatch.setattr("pit_memory.server.search_processes.cores", lambda: 4)
    monkeypatch.setattr("pit_memory.server.search_processes.memory_bytes", lambda: 900_000_000)
    assert process_count(ServerSettings()) == 0


# ---- the whole server ----------------------------------------------------------------------------


@contextmanager
def serving(project, monkeypatch):
    """A server as a process, its first line of the log, and the lines that come after."""
    monkeypatch.setenv("PYTHONPATH", str(MCP_SERVER))
    monkeypatch.setenv("PIT_MEMORY_SERVER_PROCESSES", "2")
    command = [sys.executable, "-m", "pit_memory.server", "--root", str(project), "--http"]
    with subprocess.Popen([*command, "--port", "0"], stderr=subprocess.PIPE, text=True) as process:
        lines = []
        try:
            first = json.loads(process.stderr.readline())
            reading = threading.Thread(target=lambda: lines.extend(process.stderr))
            reading.start()
            yield process, first, lines
        finally:
            process.kill()
            reading.join()


def ask(url, query="rotate the signing key"):
    answer = httpx.post(
        url, headers=MCP_HEADERS, content=tool_call("docs_search", query=query), timeout=60
    )
    return answer.json()["result"]["content"][0]["text"]


def searching(process):
    """The processes that search for a server; it starts others for a moment, such as git."""
    return [it for it in children(process) if "search_child" in command_line(it)]


def metric(url, name):
    lines = httpx.get(url.replace("/mcp", "/metrics"), timeout=60).text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


@pytest.mark.usefixtures("words_only")
def test_no_call_is_lost_while_processes_are_killed(project, monkeypatch):
    with serving(project, monkeypatch) as (process, first, lines):
        url = first["url"]
        wait_until(lambda: metric(url, "pit_memory_search_processes") == 2)
        started = searching(process.pid)
        with ThreadPoolExecutor(4) as asking:
            answers = [asking.submit(ask, url) for _ in range(40)]
            for child in started:
                os.kill(child, signal.SIGKILL)
            assert all("docs/keys.md#rotation@" in answer.result() for answer in answers)
        wait_until(lambda: metric(url, "pit_memory_search_processes") == 2)
        assert metric(url, "pit_memory_search_process_ends_total") == 2
        ready = httpx.get(url.replace("/mcp", "/health/ready"), timeout=60)
        assert ready.status_code == 200

        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0

    assert first["search_processes"] == 2
    events = [json.loads(line) for line in lines]
    assert [it["status"] for it in events if it["event"] == "a search process ended"] == [
        "SIGKILL",
        "SIGKILL",
    ]
    assert events[-1]["event"] == "ended"


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_server(project, monkeypatch, how):
    with serving(project, monkeypatch) as (process, first, lines):
        ask(first["url"])
        wait_until(lambda: metric(first["url"], "pit_memory_search_processes") == 2)
        started = searching(process.pid)
        assert len(started) == 2
        for child in started:  # what a terminal or a service manager sends is sent to all
            if how != signal.SIGKILL:
                os.kill(child, how)
        process.send_signal(how)
        process.wait(30)
        wait_until(lambda: not any(map(is_alive, started)))
    assert not [line for line in lines if "Traceback" in line or "search process ended" in line]
