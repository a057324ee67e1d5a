"""A wrap-up in the real Claude Code: three drafts, one approved; what is left is as it was."""

import os
import subprocess

import pytest

from tests.builders import write_files
from tests.plugin.prepared import prepare_environment
from tests.plugin.test_real_client import data, lab  # noqa: F401 - fixtures
from tests.shared_material import PROJECT

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("CLAUDE_BIN"), reason="the real client isn't here: set CLAUDE_BIN"
    ),
    pytest.mark.timeout(300),
]
DRAFT = "---\ntitle: {0}\ndraft: true\n---\n\n# {0}\n\nThe fact about {0} is written down here.\n"
REVIEW = {"tool": "Bash", "input": {"command": "pit-memory drafts review"}}
ALONE = {"tool": "Bash", "input": {"command": "pit-memory drafts publish ports"}}
CHOSEN = {
    "tool": "Bash",
    "input": {"command": 'pit-memory drafts publish ports --approved-by "Dev"'},
}


def test_a_wrapup_publishes_what_was_approved_and_nothing_else(lab, data):  # noqa: F811
    prepare_environment(data, PROJECT)
    names = ("ports", "logs", "keys")
    write_files(
        lab.project, {f"docs/_drafts/{name}.md": DRAFT.format(name.title()) for name in names}
    )
    git(lab, "add", "--all")
    git(lab, "commit", "--quiet", "--message", "Drafts")
    before = git(lab, "rev-list", "--count", "HEAD")
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
    assert int(git(lab, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert "Approved-by: Dev" in git(lab, "show", "--no-patch", "--format=%B")
    assert "Wrap up with the user" in result.prompt(0)
    assert not any("wrapup" in skill for skill in result.skills())


def git(lab, *arguments: str) -> str:  # noqa: F811
    command = ("git", "-c", "user.name=Dev", "-c", "user.email=dev@example.com", *arguments)
    done = subprocess.run(command, cwd=lab.project, check=True, capture_output=True, text=True)
    return done.stdout.strip()
