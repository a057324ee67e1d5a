"""Push memory in the real Claude Code: what the model reads at each kind of start, and when."""

import re

import pytest

from tests.builders import write_files
from tests.plugin.prepared import prepare_environment
from tests.plugin.real_client import NEEDS_CLIENT
from tests.shared_material import PROJECT

pytestmark = NEEDS_CLIENT

GOTCHA = """\
---
name: deploy
description: Deploys go through the queue
metadata:
  type: feedback
  kind: gotcha
  trigger_tool: Bash
  trigger_pattern: 'echo deploy'
---

Ask the queue first.
"""
TITLE = "# Memory of this project (pit-memory)"
TOLD = "Deploys go through the queue. Ask the queue first."
AT_ITS_CALL = f"PreToolUse:Bash hook additional context: - {TOLD}"
DEPLOY = {"tool": "Bash", "input": {"command": "echo deploy"}}
SUBAGENT = {
    "tool": "Agent",
    "input": {"description": "look", "prompt": "look", "subagent_type": "general-purpose"},
}
DONE = {"text": "done"}


@pytest.fixture
def client(lab, data):
    """A project with one gotcha and one draft; runs the client on it."""
    prepare_environment(data, PROJECT)
    write_files(
        lab.project,
        {
            "memory/gotcha_deploy.md": GOTCHA,
            "docs/_drafts/new.md": "---\ndraft: true\n---\n# New\n",
        },
    )

    class Client:
        config, project = lab.config, lab.project

        def run(self, script, *args):
            return lab.run("go", plugins=[PROJECT], script=script, args=args, env=environ)

        def turns(self, prompts, script):
            return lab.turns(prompts, plugins=[PROJECT], script=script, env=environ)

    environ = {"PIT_MEMORY_DATA": data}
    return Client()


def test_a_session_starts_with_one_copy_and_keeps_one_when_resumed_and_forked(client):
    first = client.run([DONE])
    block = next(text for text in first.hook_context() if text.startswith(TITLE))
    assert "`docs_search`" in block
    assert TOLD in block
    assert "pit-memory: 1 draft waits in docs/_drafts to be published: /" in first.prompt(0)
    for arguments in (
        ("--resume", first.session_id),
        ("--resume", first.session_id, "--fork-session"),
        ("-c",),
    ):
        prompt = client.run([DONE], *arguments).prompt(-1)
        assert prompt.count(TITLE) == 1, arguments
        assert prompt.count("1 draft waits") == 1, arguments


def test_what_changed_between_two_starts_is_told(client):
    first = client.run([DONE])
    write_files(client.project, {"memory/rule_late.md": "Late is late.\n"})
    assert "- Late is late." in client.run([DONE], "--resume", first.session_id).prompt(-1)


def test_a_gotcha_reaches_the_model_with_its_call_once_a_session(client):
    session = client.run([DEPLOY, DEPLOY, DONE])
    assert not any(result["error"] for result in session.results())
    assert session.prompt(1).count(AT_ITS_CALL) == 1
    assert session.prompt(2).count(AT_ITS_CALL) == 1


@pytest.mark.filterwarnings("ignore:Exception ignored in")  # the harness leaves pipes open
def test_clearing_and_compacting_leave_one_copy_and_gotchas_are_told_again(client):
    cleared = client.turns(["go", "/clear", "go on"], [DEPLOY, DONE, DEPLOY, DONE])
    compacted = client.turns(
        ["go", "more", "more", "/compact", "go on"], [DEPLOY, *[DONE] * 3, DEPLOY, DONE]
    )
    for session in (cleared, compacted):
        assert session.prompt(1).count(AT_ITS_CALL) == 1
        last = session.prompt(-1)
        assert (last.count(TITLE), last.count(AT_ITS_CALL)) == (1, 1)
    assert any(event.get("compact_result") == "success" for event in compacted.events)


def test_a_subagent_starts_with_the_rules_alone_and_is_told_gotchas_itself(client):
    # the subagent runs beside the session: either of them may ask for the next turn first
    session = client.run([DEPLOY, SUBAGENT, DEPLOY, DEPLOY, DONE, DONE, DONE])
    prompts = [session.prompt(at) for at in range(len(session.requests))]
    of_subagent = [prompt for prompt in prompts if "SubagentStart hook" in prompt]
    assert of_subagent
    assert of_subagent[0].count(TITLE) == 1
    assert "Search first" in of_subagent[0]
    assert TOLD not in of_subagent[0]
    assert any(AT_ITS_CALL in prompt for prompt in of_subagent)


def test_a_note_the_client_keeps_for_itself_is_told_to_be_private(client):
    slug = re.sub(r"[^a-zA-Z0-9]", "-", str(client.project))
    note = client.config / "projects" / slug / "memory/user_role.md"
    write = {"tool": "Write", "input": {"file_path": str(note), "content": "Likes tabs.\n"}}
    session = client.run([write, DONE])
    assert session.init["memory_paths"]["auto"].rstrip("/") == str(note.parent)
    assert "this note is private to this machine" in session.prompt(-1)
