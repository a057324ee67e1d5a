"""What waits for the person, told at the start of a session: drafts, and facts to review."""

import json
import sys
from pathlib import Path

import pytest

from pit_memory.core.facts.facts import NewFact
from pit_memory.operations.facts.change_fact import approve_fact, retract_fact
from pit_memory.operations.facts.fact_transfer import erase_facts, import_facts
from pit_memory.operations.facts.store_fact import store_fact
from pit_memory.wiring import open_facts
from pit_memory.workspace.places import places, stores
from tests.builders import git, write_files
from tests.hooks.launching import cpu_milliseconds, run_hook
from tests.hooks.pushed_memory import project_with_gotcha, start
from tests.shared_material import PROJECT


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    return project_with_gotcha(tmp_path, home)


@pytest.mark.parametrize(("drafts", "line"), [(0, ""), (1, "1 draft waits"), (3, "3 drafts wait")])
def test_what_waits_is_one_line_and_nothing_where_nothing_waits(
    project: Path, env: dict[str, str], drafts: int, line: str
):
    write_files(project, {f"docs/_drafts/d{at}.md": "x" for at in range(drafts)})
    run = run_hook("session_news", start(project), env, project)
    assert run.code == 0
    assert run.out.count("\n") == bool(drafts)
    assert line in run.out


REVIEWED = {
    "PIT_MEMORY_FACTS_REVIEW": "required",
    "PIT_MEMORY_EMBEDDING_PROVIDER": "none",
}


def news(project: Path, env: dict[str, str]) -> str:
    run = run_hook("session_news", start(project), env, project)
    assert (run.code, run.err) == (0, "")
    return run.out


def test_facts_that_wait_for_review_are_told_to_their_own_assignment_alone(
    project: Path, env: dict[str, str]
):
    acme = env | {"PIT_MEMORY_ASSIGNMENT": "acme"}
    with open_facts(project, acme | REVIEWED) as (facts, access):
        first = store_fact(facts, access, NewFact("The deploy window is Tuesday.", topic="deploy"))
        assert news(project, acme) == (
            "pit-memory: 1 proposed fact waits for review: pit-memory facts review\n"
        )
        second = store_fact(facts, access, NewFact("The gateway lives in eu-west."))
        write_files(project, {"docs/_drafts/d.md": "x"})
        assert news(project, acme) == (
            "pit-memory: 1 draft waits in docs/_drafts to be published: /pit-memory:wrapup; "
            "2 proposed facts wait for review: pit-memory facts review\n"
        )
        (project / "docs/_drafts/d.md").unlink()
        assert news(project, env) == ""
        assert news(project, env | {"PIT_MEMORY_ASSIGNMENT": "Acme"}) == ""

        approve_fact(facts, access, first.id)
        retract_fact(facts, access, second.id, "wrong")
        assert news(project, acme) == ""
        lines = [json.dumps({"fact": f"Unit {at} is green.", "scope": "acme"}) for at in range(3)]
        import_facts(facts, access, lines)
        assert "3 proposed facts wait" in news(project, acme)
        erase_facts(facts, "acme", stores(places(env)))
        assert news(project, acme) == ""


def test_the_assignment_of_the_news_is_what_settings_resolve(
    project: Path, env: dict[str, str], home: Path
):
    person = home / ".config/pit-memory/config.toml"

    def propose(text: str) -> None:
        with open_facts(project, env | REVIEWED) as (facts, access):
            store_fact(facts, access, NewFact(text))

    write_files(project, {".pit-memory.toml": 'assignment = "auto"\n'})
    propose("The deploy window is Tuesday.")
    assert "1 proposed fact waits" in news(project, env)
    git(project, "remote", "add", "origin", "https://git.example.org/team/docs.git")
    assert news(project, env) == ""
    write_files(person.parent, {person.name: 'assignment = "acme"\n'})
    write_files(project, {".pit-memory.toml": 'assignment = "of somebody else"\n'})
    propose("The window is Friday.")
    assert "1 proposed fact waits" in news(project, env)
    person.unlink()
    assert news(project, env) == ""


def test_news_of_drafts_are_told_where_facts_cannot_be_asked_for(
    project: Path, env: dict[str, str], home: Path
):
    write_files(home, {"data/proposed/acme-1": "1\n"})
    write_files(project, {"docs/_drafts/d.md": "x", ".pit-memory.toml": "assignment = [\n"})
    run = run_hook("session_news", start(project), env, project)
    assert (run.code, run.out.count("1 draft waits")) == (0, 1)
    assert run.err.startswith("pit-memory: no news of facts: ")


def test_news_of_facts_keep_to_fifty_milliseconds(project: Path, env: dict[str, str]):
    write_files(project, {".pit-memory.toml": 'assignment = "auto"\n'})
    git(project, "remote", "add", "origin", "https://git.example.org/team/docs.git")
    with open_facts(project, env | REVIEWED) as (facts, access):
        store_fact(facts, access, NewFact("The deploy window is Tuesday."))
    assert "1 proposed fact waits" in news(project, env)
    bare = cpu_milliseconds([sys.executable, "-I", "-S", "-c", "pass"], "", {}, project)
    command = ["sh", str(PROJECT / "hooks/launch"), "session_news"]
    cost = cpu_milliseconds(command, json.dumps(start(project)), env, project)
    # A bare interpreter takes 9 ms where nothing else runs; on a busy machine all take longer.
    assert cost - bare < 50 * max(1, bare / 9), (cost, bare)
