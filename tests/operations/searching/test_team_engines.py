"""A project whose meaning lives on servers: Ollama embeds, Qdrant searches, either may go away."""

from importlib.util import find_spec

import pytest

from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import meaning_is_pending, open_services
from tests.builders import write_files
from tests.ollama_server import FakeOllama
from tests.ollama_server import running as running_ollama
from tests.qdrant_server import FakeQdrant, Interface
from tests.qdrant_server import running as running_qdrant
from tests.shared_material import shared

pytestmark = pytest.mark.timeout(90)

DOCS = {
    "docs/keys.md": "# Keys\n\n## Rotation\n\nRotate the signing key every quarter.\n",
    "docs/soup.md": "# Soup\n\n## Onions\n\nSimmer the onions until they are soft.\n",
}
CONFIG = """\
[embedding]
provider = "ollama"
url = "{ollama}"

[vectors]
backend = "{backend}"
url = "{qdrant}"
"""
QUESTION = SearchRequest("simmer the onions")


@pytest.fixture
def project(tmp_path):
    return write_files(tmp_path / "project", DOCS)


def configure(home, ollama, qdrant="http://127.0.0.1:9", backend="local"):
    config = home / "config/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(CONFIG.format(ollama=ollama, qdrant=qdrant, backend=backend))


def legs(services):
    answer = services.search(QUESTION)
    assert answer.hits[0].path == "docs/soup.md"
    return answer.mode, answer.semantic.reason


def port_of(url):
    return int(url.rpartition(":")[2])


def test_ollama_embeds_and_when_it_goes_away_answers_go_on_by_words(home, project, monkeypatch):
    monkeypatch.setattr("pit_memory.workspace.outage.AGAIN_SECONDS", 0.0)
    fake = FakeOllama()
    with running_ollama(fake):
        configure(home, fake.url)
        with open_services(project, background="none") as services:
            services.sync()
            services.finish_meaning()
            assert legs(services) == ("hybrid", "")

        fake.away = True
        with open_services(project, background="none") as services:
            mode, why = legs(services)
            assert mode == "keyword"
            assert f"Ollama at {fake.url} is out of reach" in why
            assert services.meter.counts()["pit_memory_semantic_errors_total", ()] == 1

            fake.away = False
            assert legs(services) == ("hybrid", "")


def test_an_ollama_that_was_never_there_is_waited_for(home, project):
    fake = FakeOllama()
    with running_ollama(fake):
        configure(home, fake.url)
        fake.away = True
        with open_services(project, background="none") as services:
            assert "out of reach" in legs(services)[1]
        assert meaning_is_pending(project)

        fake.away = False
        assert not meaning_is_pending(project)
        with open_services(project, background="none") as services:
            services.finish_meaning()
            assert legs(services)[0] == "hybrid"


def test_another_model_is_embedded_behind_while_searches_go_on(home, project):
    fake = FakeOllama()
    with running_ollama(fake):
        configure(home, fake.url)
        with open_services(project, background="none") as services:
            services.sync()
            services.finish_meaning()
        fake.models["nomic-embed-text:latest"] = "b" * 64

        with open_services(project, background="none") as services:
            mode, why = legs(services)
            assert (mode, why.partition(" built")[0]) == ("hybrid", "0 %")
            services.finish_meaning()
            assert legs(services) == ("hybrid", "")


def test_qdrant_searches_and_when_it_goes_away_answers_go_on_by_words(home, project, monkeypatch):
    monkeypatch.setattr("pit_memory.workspace.outage.AGAIN_SECONDS", 0.0)
    qdrant = FakeQdrant(Interface(shared("qdrant-openapi.json.gz")))
    with running_ollama(FakeOllama()) as ollama, running_qdrant(qdrant):
        configure(home, ollama.url, qdrant.url, "qdrant")
        with open_services(project, background="none") as services:
            services.sync()
            services.finish_meaning()
            assert legs(services) == ("hybrid", "")
        embedded = len(ollama.asked)

        qdrant.away = True
        with open_services(project, background="none") as services:
            mode, why = legs(services)
            assert mode == "keyword"
            assert f"Qdrant at {qdrant.url} is out of reach" in why

            qdrant.away = False
            assert legs(services) == ("hybrid", "")
    questions = [it for it in ollama.asked[embedded:] if "query" not in it["input"][0]]
    assert questions == [], "nothing is embedded again"
    qdrant.engine.close()
    assert qdrant.broken == []


@pytest.mark.parametrize("away", ["ollama", "qdrant"])
def test_a_server_that_goes_away_between_two_questions_is_missed_at_the_first(
    home, project, monkeypatch, away
):
    monkeypatch.setattr("pit_memory.workspace.outage.AGAIN_SECONDS", 0.0)
    fakes = {
        "ollama": FakeOllama(),
        "qdrant": FakeQdrant(Interface(shared("qdrant-openapi.json.gz"))),
    }
    with running_ollama(fakes["ollama"]) as ollama, running_qdrant(fakes["qdrant"]) as qdrant:
        configure(home, ollama.url, qdrant.url, "qdrant")
        with open_services(project, background="none") as services:
            services.sync()
            services.finish_meaning()
            assert legs(services) == ("hybrid", "")

            fakes[away].away = True
            answer = services.search(SearchRequest("until the onions are soft"))
            assert answer.hits[0].path == "docs/soup.md"
            assert answer.mode == "keyword"
            assert f"{fakes[away].url} is out of reach" in answer.semantic.reason

            fakes[away].away = False
            assert services.search(SearchRequest("until the onions are soft")).mode == "hybrid"
    fakes["qdrant"].engine.close()


def test_the_collection_of_a_new_model_takes_over_when_it_is_complete(home, project):
    qdrant = FakeQdrant(Interface(shared("qdrant-openapi.json.gz")))
    with running_ollama(FakeOllama()) as ollama, running_qdrant(qdrant):

        def served():
            return [it.collection_name for it in qdrant.engine.get_aliases().aliases]

        configure(home, ollama.url, qdrant.url, "qdrant")
        with open_services(project, background="none") as old:
            old.sync()
            old.finish_meaning()
            (first,) = served()
            ollama.models["nomic-embed-text:latest"] = "b" * 64

            with open_services(project, background="none") as new:
                mode, why = legs(new)
                assert (mode, why.partition(" built")[0]) == ("hybrid", "0 %")
                assert legs(old) == ("hybrid", "")
                assert served() == [first]

                new.finish_meaning()
                assert legs(new) == ("hybrid", "")
                (second,) = served()
                assert second != first
                assert legs(old) == ("hybrid", ""), "a replica that still asks with the old model"
    qdrant.engine.close()
    assert qdrant.broken == []


def test_status_names_every_server_that_is_contacted(home, project, capsys):
    from pit_memory.cli import main

    with running_ollama(FakeOllama()) as fake:
        configure(home, fake.url)
        assert main(["status", "--root", str(project)]) == 0

    out = capsys.readouterr().out
    assert f"127.0.0.1:{port_of(fake.url)} to embed texts and questions" in out


def test_a_qdrant_without_its_client_says_what_to_run(home, project, monkeypatch):
    monkeypatch.setattr(
        "pit_memory.operations.upkeep.installed_parts.find_spec",
        lambda name: None if name == "qdrant_client" else find_spec(name),
    )
    with running_ollama(FakeOllama()) as fake:
        configure(home, fake.url, backend="qdrant")
        with open_services(project, background="none") as services:
            mode, why = legs(services)
    assert mode == "keyword"
    assert 'not installed: run `pip install "pit-memory[team]"`' in why
