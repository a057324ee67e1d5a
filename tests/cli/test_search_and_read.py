"""A newcomer asks a folder of markdown, reads what is cited, changes a file and asks again."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import make_repository, write_files
from tests.cli.commands import run
from tests.machine import disk, fill

KEYS = """\
# Keys

All about keys.

## Rotation

Rotate the signing key every 90 days with `keyctl rotate`.
"""
PORTS = """\
# Ports

## Gateway

The gateway listens on port 8443.

## Metrics

Metrics are on 9100.
"""
PLAN = """\
---
draft: true
---
# Plan

## Next quarter

Move the gateway behind the proxy.
"""
DOCS = {"docs/keys.md": KEYS, "docs/ports.md": PORTS, "docs/plan.md": PLAN}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    return make_repository(tmp_path / "our docs", DOCS)


def ask(capsys: pytest.CaptureFixture[str], project: Path, *words: str) -> dict[str, Any]:
    outcome = run(capsys, "search", *words, "--json", "--root", str(project))
    assert outcome.code == 0, outcome.err
    answer: dict[str, Any] = json.loads(outcome.out)
    return answer


def test_the_first_search_of_a_tree_answers_with_a_citation_that_reads_back(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    first = ask(capsys, project, "how often do we rotate the signing key")["hits"][0]
    assert first["path"] == "docs/keys.md"
    assert first["anchor"] == "rotation"
    assert first["lines"] == [5, 7]

    read = run(capsys, "read", first["ref"], "--root", str(project))
    assert read.code == 0
    assert "7: Rotate the signing key every 90 days" in read.out
    assert "same" in read.out


def test_the_json_has_the_keys_of_the_contract(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    answer = ask(capsys, project, "gateway port")
    assert list(answer) == [
        "query",
        "mode",
        "abstained",
        "hits",
        "legs",
        "used_tokens",
        "budget",
        "more",
        "pending_files",
    ] + (["nearest"] if "nearest" in answer else []) + (["notes"] if "notes" in answer else [])
    assert set(answer["hits"][0]) == {
        "ref",
        "source",
        "path",
        "anchor",
        "title",
        "breadcrumb",
        "lines",
        "collection",
        "kind",
        "status",
        "band",
        "url",
        "snippet",
    }
    assert answer["mode"] == "keyword"
    assert answer["legs"]["semantic"] == {
        "state": "skipped",
        "reason": "",
    }


def test_a_changed_a_new_and_a_deleted_file_are_right_in_the_next_search(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    ask(capsys, project, "gateway")
    write_files(
        project,
        {
            "docs/ports.md": "# Ports\n\nNew.\n\n## Gateway\n\nThe gateway is on port 9443.\n",
            "docs/dns.md": "# DNS\n\n## Resolver\n\nThe resolver is unbound.\n",
        },
    )
    (project / "docs/keys.md").unlink()

    gateway = ask(capsys, project, "gateway port")["hits"][0]
    assert gateway["lines"][0] == 5
    assert "9443" in json.dumps(gateway["snippet"])
    assert ask(capsys, project, "unbound resolver")["hits"][0]["path"] == "docs/dns.md"
    assert all(hit["path"] != "docs/keys.md" for hit in ask(capsys, project, "signing key")["hits"])


def test_the_leg_by_words_says_that_its_index_is_behind_where_the_disk_is_full(
    capsys: pytest.CaptureFixture[str],
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "small").mkdir()
    monkeypatch.setenv("PIT_MEMORY_DATA", str(tmp_path / "small"))
    with disk(tmp_path / "small", "4m") as data:
        assert ask(capsys, project, "gateway port")["legs"]["keyword"]["state"] == "ran"
        fill(data, but=100_000)  # enough to open the index
        write_files(
            project,
            {f"docs/dns-{n}.md": f"# DNS {n}\n\nThe resolver is unbound.\n" * 9 for n in range(40)},
        )
        answer = ask(capsys, project, "gateway port")
        about = ("gateway port", "--json", "--root", str(project))
        incidents = json.loads(run(capsys, "incidents", "search", *about).out)
    assert answer["hits"][0]["path"] == "docs/ports.md"
    words = answer["legs"]["keyword"]
    assert incidents["legs"]["keyword"] == words
    assert words["state"] == "degraded"
    assert words["reason"].startswith("the index may be behind your files: ")
    assert words["reason"] in answer["notes"]


def test_a_read_and_a_search_name_a_root_that_is_gone(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    ask(capsys, project, "gateway port")
    project.rename(project.with_name("elsewhere"))

    read = run(capsys, "read", "docs/ports.md#gateway", "--root", str(project))
    found = run(capsys, "search", "gateway port", "--root", str(project))

    assert read.code == 1
    assert f"{project} is not there: mount or restore it" in read.err
    assert "there is no such folder" in found.out
    assert "ask again" not in found.out


def test_the_settings_put_files_first_or_keep_them_out_of_answers(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    same = "# Backups\n\n## Schedule\n\nBackups run nightly at three.\n"
    write_files(project, {"docs/a-notes.md": same, "docs/z-guide.md": same})
    question = "when do backups run"
    write_files(project, {".pit-memory.toml": '[search]\nboost = ["docs/z-*"]\n'})
    assert ask(capsys, project, question)["hits"][0]["path"] == "docs/z-guide.md"
    write_files(project, {".pit-memory.toml": '[search]\nexclude = ["docs/z-*"]\n'})
    paths = [hit["path"] for hit in ask(capsys, project, question)["hits"]]
    assert "docs/a-notes.md" in paths
    assert "docs/z-guide.md" not in paths


def test_drafts_are_marked_and_can_be_left_out(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    shown = run(capsys, "search", "move the gateway behind the proxy", "--root", str(project))
    assert "docs/plan.md#next-quarter" in shown.out
    assert "draft" in shown.out
    without = run(
        capsys, "search", "--no-drafts", "move the gateway behind the proxy", "--root", str(project)
    )
    assert "plan.md" not in without.out


@pytest.mark.parametrize(
    "words",
    [
        "--plugin-dir",
        "a:b",
        '"unclosed',
        "NOT x",
        "?!.,;",
        "文書",
        "שלום",
        "🚀",
        "x" * 10_000,
        "10.0.0.5:8080",
    ],
)
def test_any_text_is_a_question(
    capsys: pytest.CaptureFixture[str], project: Path, words: str
) -> None:
    outcome = run(capsys, "search", words, "--root", str(project))
    assert outcome.code == 0, outcome.err


def test_a_slip_in_an_option_is_not_taken_for_the_question(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    outcome = run(capsys, "search", "keys", "--limt", "3", "--root", str(project))
    assert outcome.code == 2
    assert "did you mean --limit?" in outcome.err
    assert "put it after `--`: pit-memory search -- --limt" in outcome.err
    recalled = run(capsys, "facts", "recall", "keys", "--limt", "3", "--root", str(project))
    assert "put it after `--`: pit-memory facts recall -- --limt" in recalled.err


def test_an_empty_question_and_a_limit_out_of_bounds_name_the_bound(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    assert run(capsys, "search", "", "--root", str(project)).code == 2
    outcome = run(capsys, "search", "keys", "--limit", "0", "--root", str(project))
    assert outcome.code == 2
    assert "limit" in outcome.err
    assert "50" in outcome.err


def test_a_citation_of_a_file_that_has_just_moved_is_read_at_its_new_place(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    found = run(
        capsys, "search", "how is the signing key rotated", "--root", str(project), "--json"
    )
    ref = json.loads(found.out)["hits"][0]["ref"]
    (project / "docs/keys.md").rename(project / "docs/signing.md")
    read = run(capsys, "read", ref, "--root", str(project))
    assert read.code == 0
    assert "docs/signing.md#rotation@" in read.out


@pytest.mark.parametrize("ref", ["../../etc/passwd", "/etc/passwd", "docs/../../x.md"])
def test_read_stays_inside_the_root(
    capsys: pytest.CaptureFixture[str], project: Path, ref: str
) -> None:
    outcome = run(capsys, "read", ref, "--root", str(project))
    assert outcome.code == 1
    assert "root:" not in outcome.out


def test_read_does_not_follow_a_link_out_of_the_root(
    capsys: pytest.CaptureFixture[str], project: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n\nhidden\n")
    (project / "docs/link.md").symlink_to(tmp_path / "secret.md")
    outcome = run(capsys, "read", "docs/link.md", "--root", str(project))
    assert outcome.code == 1
    assert "hidden" not in outcome.out


def test_a_wrong_anchor_names_the_nearest(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    outcome = run(capsys, "read", "docs/keys.md#rotatoin", "--root", str(project))
    assert outcome.code == 1
    assert "rotation" in outcome.err


def test_nothing_in_the_tree_changes(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    def snapshot() -> list[tuple[str, int, bytes]]:
        return sorted(
            (str(path), path.stat().st_mtime_ns, path.read_bytes())
            for path in project.rglob("*")
            if path.is_file()
        )

    before = snapshot()
    ask(capsys, project, "gateway port")
    run(capsys, "sync", "--full", "--root", str(project))
    run(capsys, "read", "docs/keys.md", "--root", str(project))
    run(capsys, "status", "--problems", "--root", str(project))
    run(capsys, "init", "--root", str(project))
    assert snapshot() == before


def test_a_tree_without_markdown_says_that_nothing_was_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    outcome = run(capsys, "search", "anything", "--root", str(tmp_path))
    assert outcome.code == 0
    assert outcome.out.startswith("nothing found")
    assert f"there are no documents below {tmp_path}" in outcome.out


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        (("--path", "keys"), "searched only in keys, seen from "),
        (("--path", "xyz"), "; no document lies there\n"),
        (("--path", "dcos"), "; no document lies there, nearest: docs\n"),
        (("--path", "docs/port.md"), "; no document lies there, nearest: docs/ports.md\n"),
        (("--tag", "ops"), "searched only documents tagged ops"),
        (("--tag", "#depoly"), "; no document has the tag `#depoly`, nearest: `deploy`\n"),
        (("--tag", "deploy", "--tag", "xyz"), "deploy, xyz; no document has the tag `xyz`\n"),
    ],
)
def test_a_filter_that_leaves_nothing_to_search_is_named(
    capsys: pytest.CaptureFixture[str], project: Path, filters: tuple[str, str], said: str
) -> None:
    write_files(project, {"docs/tagged.md": "---\ntags: [Deploy/blue]\n---\n# Roll out\n\nText.\n"})
    outcome = run(capsys, "search", "gateway", *filters, "--root", str(project))
    assert outcome.out.startswith("nothing found: ")
    assert said in outcome.out
    assert "searched only" not in run(capsys, "search", "gateway", "--root", str(project)).out


def test_a_damaged_cache_of_vectors_costs_the_meaning_and_is_named(
    capsys: pytest.CaptureFixture[str],
    project: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PIT_MEMORY_EMBEDDING_PROVIDER")
    write_files(home, {"data/vectors.sqlite": b"no database at all" * 500})
    outcome = run(capsys, "search", "gateway port", "--root", str(project))
    assert outcome.code == 0, outcome.err
    assert "docs/ports.md#gateway" in outcome.out
    assert "vectors.sqlite" in outcome.out


def test_an_address_is_in_the_json_and_printed_only_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    root = make_repository(
        tmp_path / "site",
        {
            "mkdocs.yml": "site_name: X\nsite_url: https://x.example/\n",
            "docs/gateway.md": "# Gateway\n\n## Port\n\nThe gateway listens on port 8443.\n",
        },
    )
    asked = ("search", "gateway port", "--root", str(root), "--mode", "keyword")
    address = "https://x.example/gateway/#port"
    assert json.loads(run(capsys, *asked, "--json").out)["hits"][0]["url"] == address
    assert address not in run(capsys, *asked).out
    assert f"\n   {address}\n" in run(capsys, *asked, "--urls").out
    read = run(capsys, "read", "docs/gateway.md#port", "--root", str(root), "--json")
    assert json.loads(read.out)["url"] == address


def test_on_a_terminal_a_title_opens_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    root = make_repository(
        tmp_path / "site",
        {
            "mkdocs.yml": "site_name: X\nsite_url: https://x.example/\n",
            "docs/gateway.md": "# Gateway\n\n## Port\n\nThe gateway listens on port 8443.\n",
        },
    )
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    out = run(capsys, "search", "gateway port", "--root", str(root), "--mode", "keyword").out
    opener, closer = "\033]8;;https://x.example/gateway/#port\033\\", "\033]8;;\033\\"
    assert f"{opener}Gateway > Port{closer}\n" in out
