"""A server that is killed while it brings in a push: it answers of before or of after, whole."""

import os
import signal
import subprocess
import sys

import pytest

from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.wiring import open_services
from pit_memory.workspace.own_clone import fetch_and_forward
from tests.builders import git, make_repository, write_files
from tests.index_builders import disagreement
from tests.shared_material import PROJECT

pytestmark = pytest.mark.timeout(120)

KILLED = """\
import os, sys
from pathlib import Path
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.stores.catalogue import CatalogueWriter
from pit_memory.stores.keyword_follower import KeywordFollower
from pit_memory.stores.keyword_index import KeywordIndex
from pit_memory.wiring import open_services
from pit_memory.workspace.own_clone import OwnClone, fetch_and_forward

root, stage = Path(sys.argv[1]), sys.argv[2]

def die(*_, **__):
    os.kill(os.getpid(), 9)

def killed(owner, name, *, at=1, after=False, first=None):
    do, calls = getattr(owner, name), []
    def instead(*arguments, **keywords):
        if first is None or first in arguments:
            calls.append(1)
        if len(calls) == at and not after:
            die()
        done = do(*arguments, **keywords)
        if len(calls) == at:
            die()
        return done
    setattr(owner, name, instead)

if stage == "before the fetch":
    killed(OwnClone, "git", first="fetch")
if stage == "before the merge":
    killed(OwnClone, "git", first="merge")
if stage == "after the merge":
    killed(OwnClone, "git", first="merge", after=True)
if stage == "within the transaction":
    killed(CatalogueWriter, "put_document", at=2, after=True)
if stage == "before the words":
    killed(KeywordFollower, "follow", at=1)
if stage == "after the words":
    killed(KeywordIndex, "_write", at=1, after=True)
with open_services(root, background="none", shared=True) as services:
    Freshness(lambda: fetch_and_forward(root), services.sync, 600).once()
"""
BEFORE = {"a.md": "old", "b.md": "old", "gone.md": "old"}
AFTER = {"a.md": "new", "b.md": "new", "c.md": "new"}
STAGES = {
    "before the fetch": BEFORE,
    "before the merge": BEFORE,
    "after the merge": AFTER,
    "within the transaction": AFTER,
    "before the words": AFTER,
    "after the words": AFTER,
}
"""When it is killed, and what the clone holds then."""


def pages(pushed):
    return {
        f"docs/{name}": f"# Valve\n\nThe {word}zanzibar valve.\n" for name, word in pushed.items()
    }


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """The server's clone, indexed, whose remote has a push that isn't fetched."""
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    team = make_repository(tmp_path / "team", pages(BEFORE))
    git(tmp_path, "clone", "--quiet", str(team), "clone")
    with open_services(tmp_path / "clone", background="none", shared=True) as services:
        services.sync()
    (team / "docs/gone.md").unlink()
    write_files(team, pages(AFTER))
    git(team, "add", "--all")
    git(team, "commit", "--quiet", "--message", "Push")
    return tmp_path / "clone"


def kill(clone, stage):
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "mcp_server")}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, clone, stage], env=environment, check=False
    )
    assert done.returncode == -signal.SIGKILL


def answers(services):
    """Each page that is found, and which of its texts it is found by."""
    seen = {}
    for word in ("old", "new"):
        answer = services.search(SearchRequest(f"{word}zanzibar", mode="keyword"))
        assert answer.pending_files == 0
        for hit in answer.hits:
            assert hit.path not in seen, "one page is found by both of its texts"
            assert f"{word}zanzibar" in "".join(line.text for line in hit.snippet)
            seen[hit.path.removeprefix("docs/")] = word
    return seen


@pytest.mark.parametrize("stage", STAGES)
def test_after_a_kill_answers_are_of_before_or_of_after_the_push(clone, stage):
    kill(clone, stage)

    with open_services(clone, background="none", shared=True) as services:
        assert answers(services) == STAGES[stage]
        assert disagreement(services.store) == []

        freshness = Freshness(lambda: fetch_and_forward(clone), services.sync, 600)
        freshness.once()
        assert freshness.trouble == ""
        assert answers(services) == AFTER
        assert disagreement(services.store) == []
