"""A forge calls after a push: signed, meant for us, once; then the documents are fetched."""

import hashlib
import hmac
import json
import shutil

import pytest

from pit_memory.core.serving.metrics import METRICS
from pit_memory.errors import GitError
from pit_memory.operations.meter import Meter
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.server.factory import build_server
from pit_memory.server.gate import Gate, GateRules
from pit_memory.server.push_hook import REPLAY_SECONDS, HookRules, PushHook
from pit_memory.wiring import open_services
from pit_memory.workspace.own_clone import fetch_and_forward
from tests.builders import git, make_repository
from tests.mcp.asgi import request
from tests.patience import wait_until

pytestmark = pytest.mark.timeout(90)

SECRET = "a secret of the forge"  # noqa: S105 -- of a test
GITHUB_PUSH = {
    "ref": "refs/heads/main",
    "after": "a" * 40,
    "repository": {"full_name": "Acme/handbook"},
}
GITLAB_PUSH = {
    "ref": "refs/heads/main",
    "after": "a" * 40,
    "project": {"path_with_namespace": "acme/handbook"},
}


def signature(body, secret=SECRET):
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def github(value=GITHUB_PUSH, secret=SECRET, event="push"):
    body = json.dumps(value).encode()
    signed = f"sha256={signature(body, secret)}"
    return {"x-github-event": event, "x-hub-signature-256": signed}, body


def gitea(value=GITHUB_PUSH, secret=SECRET):
    body = json.dumps(value).encode()
    return {"x-gitea-event": "push", "x-gitea-signature": signature(body, secret)}, body


def gitlab(value=GITLAB_PUSH, secret=SECRET):
    headers = {"x-gitlab-event": "Push Hook", "x-gitlab-token": secret}
    return headers, json.dumps(value).encode()


class Hook:
    """The route behind the gate, and how often it asked for a round."""

    def __init__(self, rules):
        self.woken = 0
        self.now = 0.0
        self.meter = Meter()
        server = build_server(None)
        PushHook(rules, self._wake, self.meter, lambda: self.now).add_route(server)
        app = server.http_app(path="/mcp", stateless_http=True)
        self.gate = Gate(app, None, GateRules(600, 600, 100_000), self.meter)

    def _wake(self):
        self.woken += 1

    async def send(self, headers, body):
        return await request(self.gate, "POST", "/hooks/push", headers=headers, body=body)


@pytest.fixture
def hook():
    return Hook(HookRules(SECRET, ("acme/handbook",), ("main", "release-*")))


def run(coroutine):
    import asyncio

    return asyncio.run(coroutine)


@pytest.mark.parametrize("forge", [github, gitea, gitlab])
def test_a_signed_push_to_our_branch_asks_for_a_round(hook, forge):
    assert run(hook.send(*forge())).status == 202
    assert hook.woken == 1


@pytest.mark.parametrize("forge", [github, gitea, gitlab])
def test_a_wrong_signature_is_refused_and_says_nothing_of_what_is_served(hook, forge):
    answer = run(hook.send(*forge(secret="wrong")))  # noqa: S106 -- it is wrong
    assert answer.status == 401
    assert "handbook" not in answer.body.decode()
    assert hook.woken == 0


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (({}, b"{}"), 401),
        (github({**GITHUB_PUSH, "repository": {"full_name": "acme/other"}}), 403),
        (github({**GITHUB_PUSH, "ref": "refs/heads/feature"}), 202),
        (github({**GITHUB_PUSH, "ref": "refs/tags/v1"}), 202),
        (github({"zen": "Keep it simple."}, event="ping"), 202),
        (github({"ref": "refs/heads/main"}), 400),
        (github(["no", "mapping"]), 400),
        (github({**GITHUB_PUSH, "after": 5}), 400),
        (github({**GITHUB_PUSH, "padding": "x" * 200_000}), 413),
    ],
    ids=["bare", "repository", "branch", "tag", "ping", "half", "list", "types", "huge"],
)
def test_what_is_no_push_for_us_starts_nothing(hook, sent, status):
    assert run(hook.send(*sent)).status == status
    assert hook.woken == 0


def test_a_push_that_is_sent_again_counts_once_within_its_window(hook):
    assert [run(hook.send(*github())).status for _ in range(2)] == [202, 409]
    headers, body = github()
    headers["x-github-delivery"] = "another one"
    assert run(hook.send(headers, body)).status == 409

    hook.now = REPLAY_SECONDS + 1
    assert run(hook.send(*github())).status == 202
    assert hook.woken == 2


def test_without_a_secret_nothing_is_taken():
    hook = Hook(HookRules("", (), ()))
    assert run(hook.send(*github(secret=""))).status == 401


# ---- what a round does --------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path):
    """(the team's repository, the server's clone of it)"""
    team = make_repository(tmp_path / "team", {"docs/a.md": "# Alpha\n\nThe zanzibar valve.\n"})
    git(tmp_path, "clone", "--quiet", str(team), "clone")
    return team, tmp_path / "clone"


def paths(services, query="zanzibar"):
    answer = services.search(SearchRequest(query, mode="keyword"))
    return [hit.path for hit in answer.hits]


def test_a_round_fetches_and_indexes_what_was_pushed(clone):
    team, server = clone
    with open_services(server, background="none", shared=True) as services:
        freshness = Freshness(lambda: fetch_and_forward(server), services.sync, 600)
        freshness.once()
        (team / "docs/b.md").write_text("# Beta\n\nThe quagga pump.\n")
        git(team, "add", "--all")
        git(team, "commit", "--quiet", "--message", "Add")

        freshness.once()

        assert freshness.trouble == ""
        assert freshness.fetched_at
        assert paths(services, "quagga") == ["docs/b.md"]


def test_a_remote_that_is_away_is_named_and_the_index_answers(clone):
    team, server = clone
    with open_services(server, background="none", shared=True) as services:
        freshness = Freshness(lambda: fetch_and_forward(server), services.sync, 600)
        team.rename(team.with_name("gone"))

        freshness.once()

        assert "git fetch" in freshness.trouble
        assert freshness.fetched_at == 0.0
        assert paths(services) == ["docs/a.md"]


def test_commits_of_the_clone_are_never_lost(clone):
    team, server = clone
    (server / "docs/own.md").write_text("# Own\n")
    git(server, "add", "--all")
    git(server, "commit", "--quiet", "--message", "Own")
    (team / "docs/b.md").write_text("# Beta\n")
    git(team, "add", "--all")
    git(team, "commit", "--quiet", "--message", "Theirs")

    with pytest.raises(GitError, match="by hand"):
        fetch_and_forward(server)
    assert (server / "docs/own.md").exists()


@pytest.mark.parametrize("how", ["emptied", "gone", "replaced by an empty one", "half-synced"])
def test_a_folder_that_something_happened_to_keeps_its_index(tmp_path, how):
    docs = {f"docs/{n}.md": f"# Page {n}\n\nThe zanzibar valve {n}.\n" for n in range(30)}
    root = tmp_path / "mounted"
    for path, text in docs.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with open_services(root, background="none", shared=True) as services:
        services.sync()
        if how == "gone":
            root.rename(tmp_path / "elsewhere")
        elif how == "half-synced":
            for n in range(20):
                (root / f"docs/{n}.md").unlink()
        else:
            shutil.rmtree(root / "docs")
            if how != "emptied":
                root.rename(tmp_path / "old")
                root.mkdir()

        freshness = Freshness(None, services.sync, 600)
        freshness.once()

        assert services.store.catalogue.counts().documents == 30
        assert not services.looker.complete_at


def test_many_pushes_are_few_rounds_and_the_last_one_is_seen():
    fetched = []
    freshness = Freshness(lambda: fetched.append(1) or "commit", lambda: None, 600)
    freshness.start()
    try:
        for _ in range(200):
            freshness.wake()
        wait_until(lambda: freshness.rounds)
    finally:
        freshness.stop()
    assert 1 <= len(fetched) <= 5


def test_the_metrics_of_pushes_are_in_the_table():
    assert METRICS["pit_memory_pushes_total"].labels == ("outcome",)
