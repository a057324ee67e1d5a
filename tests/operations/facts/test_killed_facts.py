"""Stores of facts that are killed: nothing lost, and the next one commits what they left."""

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.facts.facts import NewFact
from pit_memory.core.serving.access import LOCAL
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.recall import recall
from pit_memory.operations.facts.store_fact import store_fact
from pit_memory.wiring import open_facts
from tests.builders import git
from tests.shared_material import PROJECT

ACME = replace(LOCAL, assignment="acme")
KILLED = """\
import os, sys
from dataclasses import replace
from pathlib import Path
from pit_memory.core.serving.access import LOCAL
from pit_memory.core.facts.facts import NewFact
from pit_memory.operations.facts import fact_files
from pit_memory.operations.facts import store_fact as storing
from pit_memory.stores.keyword_index import KeywordIndex
from pit_memory.wiring import open_facts
from pit_memory.workspace.commits import _Commit

PLACES = {
    "file": (fact_files, "write_new"),
    "supersede": (storing, "rewrite_fact"),
    "index": (KeywordIndex, "apply"),
    "commit": (_Commit, "_git"),
}
when, _, what = sys.argv[1].partition(" ")
owner, name = PLACES[what]
do = getattr(owner, name)

def killed(*given, **named):
    if when == "after":
        do(*given, **named)
    os.kill(os.getpid(), 9)

setattr(owner, name, killed)
with open_facts(Path.cwd()) as (facts, _):
    new = NewFact("The window is Tuesday.", supersedes=sys.argv[2])
    storing.store_fact(facts, replace(LOCAL, assignment="acme"), new)
"""


def stored(text: str) -> str:
    with open_facts(Path("/")) as (facts, _):
        return store_fact(facts, ACME, NewFact(text)).id


def told(facts: Facts) -> set[str]:
    asked = ("window", "contact")
    return {fact.text for query in asked for fact in recall(facts, ACME, query).facts}


@pytest.mark.parametrize(
    "stage",
    [
        *("before file", "after file", "after supersede", "before index", "after index"),
        *("before commit", "after commit"),
    ],
)
def test_a_store_that_is_killed_loses_nothing_and_is_committed_by_the_next_one(
    stage: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    old = stored("The window is Monday.")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, stage, old], cwd=PROJECT / "mcp_server", check=False
    )
    assert done.returncode == -signal.SIGKILL

    with open_facts(Path("/")) as (facts, _):
        store_fact(facts, ACME, NewFact("The contact is Mrs Weaver."))
        window = "The window is Monday." if stage == "before file" else "The window is Tuesday."
        assert told(facts) == {window, "The contact is Mrs Weaver."}
        assert git(facts.home.root, "status", "--porcelain", "-uall") == ""
        assert [*facts.home.root.rglob("*.tmp")] == []
