"""A wrap-up in the real Claude Code: three drafts, one approved; what is left is as it was."""

from tests.builders import git, write_files
from tests.plugin.prepared import prepare_environment
from tests.plugin.real_client import NEEDS_CLIENT
from tests.shared_material import PROJECT

pytestmark = NEEDS_CLIENT
DRAFT = "---\ntitle: {0}\ndraft: true\n---\n\n# {0}\n\nThe fact about {0} is written down here.\n"
REVIEW = {"tool": "Bash", "input": {"command": "pit-memory drafts review"}}
ALONE = {"tool": "Bash", "input": {"command": "pit-memory drafts publish ports"}}
CHOSEN = {
    "tool": "Bash",
    "input": {"command": 'pit-memory drafts publish ports --approved-by "Dev"'},
}


def test_a_wrapup_publishes_what_was_approved_and_nothing_else(lab, data):
    prepare_environment(data, PROJECT)
    names = ("ports", "logs", "keys")
    write_files(
        lab.project, {f"docs/_drafts/{name}.md": DRAFT.format(name.title()) for name in names}
    )
    git(lab.project, "add", "--all")
    git(lab.project, "commit", "--quiet", "--message", "Drafts")
    before = git(lab.project, "rev-list", "--count", "HEAD")
    environ = {"PIT_MEMORY_DATA": data, "PIT_MEMORY_EMBEDDING_PROVIDER": "none"}
    result = lab.run(
        "/pit-memory:wrapup",
        plugins=[PROJECT],
        script=[REVIEW, ALONE, CHOSEN, {"text": "one published, two kept"}],
        env=environ,
    )
    review, alone, chosen = [one for one in result.results() if one["tool"] == "Bash"]
    assert "docs/_drafts/ports.md" in review["text"]
    assert alone["error"]
    assert "--approved-by" in alone["text"]
    assert "published: docs/_drafts/ports.md -> docs/reference/ports.md" in chosen["text"]
    assert (lab.project / "docs/reference/ports.md").exists()
    left = sorted(path.name for path in (lab.project / "docs/_drafts").iterdir())
    assert left == ["keys.md", "logs.md"]
    assert int(git(lab.project, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert "Approved-by: Dev" in git(lab.project, "show", "--no-patch", "--format=%B")
    assert "Wrap up with the user" in result.prompt(0)
    assert not any("wrapup" in skill for skill in result.skills())
