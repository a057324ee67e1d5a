"""`pit-memory remember` as a person meets it."""

import io
import json
from pathlib import Path

import pytest

from tests.builders import git, make_repository, write_files
from tests.cli.commands import give_standard_input, run

GATEWAY = "The gateway listens on port 8443 and restarts nightly at 03:10."


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    return str(make_repository(tmp_path / "p", {"docs/x.md": "# X\n\nold\n"}))


def test_what_is_remembered_is_committed_and_found_by_the_next_search(capsys, root: str):
    words = GATEWAY.split()  # as a shell gives them
    done = run(capsys, "remember", "--kind", "doc", "--title", "Gateway", *words, "--root", root)
    assert done.code == 0
    assert done.out.startswith("Visible to everyone with this repository")
    assert git(Path(root), "status", "--porcelain") == ""
    found = json.loads(run(capsys, "search", "gateway restarts when", "--json", "--root", root).out)
    assert [(hit["path"], hit["status"]) for hit in found["hits"]] == [
        ("docs/_drafts/gateway.md", "draft")
    ]


def test_the_text_may_come_from_standard_input(capsys, root: str, monkeypatch):
    give_standard_input(monkeypatch, f"# Gateway\n\n{GATEWAY}\n".encode())
    shown = json.loads(run(capsys, "remember", "--kind", "doc", "--json", "--root", root).out)
    assert shown["is_written"]
    assert shown["title"] == "Gateway"
    assert shown["commit"]["state"] == "committed"
    assert shown["is_retrievable"]
    assert shown["ref"].startswith("docs/_drafts/gateway.md#gateway@")


def test_words_that_look_like_options_can_be_remembered(capsys, root: str):
    done = run(capsys, "remember", "--kind", "rule", "--root", root, "--", "--force is for pushes")
    assert done.code == 0
    assert "--force is for pushes" in (Path(root) / "memory").glob("*.md").__next__().read_text()


def test_what_is_there_already_is_shown_with_exit_code_1(capsys, root: str):
    run(capsys, "remember", "--kind", "doc", "--title", "Gateway", GATEWAY, "--root", root)
    again = run(capsys, "remember", "--kind", "doc", GATEWAY, "--root", root)
    assert again.code == 1
    assert again.out.startswith("Not written: ")
    assert "docs/_drafts/gateway.md#gateway@" in again.out
    assert "--force writes a second one" in again.out
    assert again.err == ""  # no commit was missed
    forced = run(capsys, "remember", "--kind", "doc", GATEWAY, "--force", "--root", root)
    assert forced.code == 0


@pytest.mark.parametrize(
    ("arguments", "data", "code", "said"),
    [
        (("--kind", "rule"), b"", 2, "content: it is empty"),
        (("--kind", "rule"), b"\xff\xfe\x00", 2, "content: byte 0 of standard input is not UTF-8"),
        (("--kind", "gotchya", "x"), b"", 2, "did you mean gotcha?"),
        (("x",), b"", 2, "--kind is missing; what is it? reference"),
        (("--kind", "rule", "ghp_" + "9aB3" * 9), b"", 1, "holds a secret (github-token)"),
    ],
)
def test_what_is_wrong_is_told_with_its_exit_code(
    capsys, root: str, monkeypatch, arguments, data: bytes, code: int, said: str
):
    give_standard_input(monkeypatch, data)
    refused = run(capsys, "remember", *arguments, "--root", root)
    assert refused.code == code
    assert said in refused.err
    assert git(Path(root), "status", "--porcelain") == ""


def test_what_waits_is_committed_together_when_the_person_says_so(capsys, root: str):
    (Path(root) / ".pit-memory.toml").write_text('[commit]\nreference = "wrapup"\n')
    write_files(Path(root), {"docs/x.md": "# X\n\nchanged\n", "docs/_drafts/mine.md": "# Mine\n"})
    for number in range(3):
        text = f"Queue {number} is emptied at {number} o'clock."
        done = run(capsys, "remember", "--kind", "doc", text, "--root", root)
        assert "`pit-memory remember --commit-waiting` commits it" in done.out
    git(Path(root), "add", "docs/_drafts/queue-0-is-emptied-at-0-o-clock.md")
    git(Path(root), "commit", "--quiet", "--message", "By hand")
    done = run(capsys, "remember", "--commit-waiting", "--root", root)
    assert done.code == 0
    assert "these 2 files alone" in done.out
    assert git(Path(root), "show", "--name-only", "--format=%s", "HEAD").split("\n") == [
        "docs: remember 2 notes",
        "",
        "docs/_drafts/queue-1-is-emptied-at-1-o-clock.md",
        "docs/_drafts/queue-2-is-emptied-at-2-o-clock.md",
        "",
    ]
    left = git(Path(root), "status", "--porcelain", "-uall")
    assert "docs/_drafts/mine.md" in left
    assert " M docs/x.md" in left
    again = run(capsys, "remember", "--commit-waiting", "--root", root)
    assert (again.code, again.out) == (0, "")


def test_standard_input_without_end_is_not_read_to_its_end(capsys, monkeypatch, root: str):
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    done = run(capsys, "remember", "--kind", "doc", "--root", root)
    assert done.code == 2
    assert "and at most 100,000" in done.err


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ("[search]\nlimt = 5\n", ("remember", "--kind", "doc", GATEWAY)),
        ("[search]\nlimt = 5\n", ("incidents", "add", "--title", "Down", "--cause", "disk")),
        ("[search]\nlimt = 5\n", ("incidents", "import", "docs")),
        ("[commit]\nfcat = 'never'\n", ("facts", "store", "Port 8443.")),
        ("[commit]\nfcat = 'never'\n", ("facts", "retract", "0" * 16, "--reason", "old")),
        ("[search]\nlimt = 5\n", ("drafts", "publish", "x", "--approved-by", "Ada")),
        ("[search\n", ("remember", "--kind", "doc", GATEWAY)),
        ("[search\n", ("docs", "add", ".")),
        ("[search\n", ("memory", "migrate", "docs")),
        ("", ("remember", "no kind")),
        ("", ("remember", "--kind", "dog", GATEWAY)),
        ("", ("incidents", "add")),
    ],
)
def test_what_refuses_to_write_says_that_nothing_was_written(
    capsys, root: str, written: str, command: tuple[str, ...], monkeypatch
):
    monkeypatch.setenv("PIT_MEMORY_ASSIGNMENT", "acme")
    write_files(Path(root), {".pit-memory.toml": written})
    refused = run(capsys, *command, "--root", root)
    assert refused.code == 2
    assert "is ignored" not in refused.err
    assert refused.err.rstrip("\n").endswith(("; nothing was written", "; nothing was changed"))
    assert git(Path(root), "status", "--porcelain", "--untracked-files=all").split() in (
        ["??", ".pit-memory.toml"],
        [],
    )
