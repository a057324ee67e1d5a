"""Writing in the real Claude Code: `/pit-memory:remember` to a committed draft that is found."""

from tests.builders import git
from tests.plugin.prepared import prepare_environment
from tests.plugin.real_client import NEEDS_CLIENT, WAIT_FOR_SERVERS, answers
from tests.shared_material import PROJECT

pytestmark = NEEDS_CLIENT

TEXT = 'the gateway\'s port is 8443; `touch injected` $(touch injected) "restarts" at 03:10'
WRITE = {
    "tool": "*__memory_write",
    "input": {"content": TEXT, "kind": "reference", "title": "Gateway port"},
}
SEARCH = {"tool": "*__docs_search", "input": {"query": "when does the gateway restart"}}
DONE = {"text": "done"}


def test_remember_ends_in_a_committed_draft_that_the_same_session_finds(lab, data):
    prepare_environment(data, PROJECT)
    git(lab.project, "add", "--all")
    git(lab.project, "commit", "--quiet", "--message", "Begin")
    session = lab.run(
        f"/pit-memory:remember {TEXT}",
        plugins=[PROJECT],
        script=[{"tool": "ToolSearch", "input": {"query": "memory_write"}}, WRITE, SEARCH, DONE],
        env={**WAIT_FOR_SERVERS, "PIT_MEMORY_DATA": data},
    )
    assert f"<remember>\n{TEXT}\n</remember>" in session.prompt(0)
    (receipt,) = [each for each in session.results() if each["tool"].endswith("memory_write")]
    print(receipt["text"])  # noqa: T201 - what the model saw
    assert not receipt["error"]
    assert receipt["text"].startswith("Visible to everyone with this repository")
    assert "retrievable now" in receipt["text"]
    (found,) = answers(session)
    assert "docs/_drafts/gateway-port.md#gateway-port@" in found
    assert "· draft" in found
    assert git(lab.project, "show", "--name-only", "--format=", "HEAD") == (
        "docs/_drafts/gateway-port.md\n"
    )
    assert not (lab.project / "injected").exists()


def test_the_skills_that_write_are_offered_to_whom_they_are_for(lab, data):
    prepare_environment(data, PROJECT)
    session = lab.run("hello", plugins=[PROJECT], script=[DONE], env={"PIT_MEMORY_DATA": data})
    assert "pit-memory:memory-write" in session.skills()
    assert "pit-memory:remember" not in session.skills()
    assert "pit-memory:remember" in session.slash_commands()
    assert "pit-memory:memory-write" not in session.slash_commands()


def test_plain_remember_works_once_it_is_the_persons_own_skill(lab, data):
    prepare_environment(data, PROJECT)
    own = lab.config / "skills/remember/SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_bytes((PROJECT / "skills/remember/SKILL.md").read_bytes())
    session = lab.run(
        "/remember tabs are four wide",
        plugins=[PROJECT],
        script=[DONE],
        env={"PIT_MEMORY_DATA": data},
    )
    assert "<remember>\ntabs are four wide\n</remember>" in session.prompt(0)
