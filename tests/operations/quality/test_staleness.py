"""Documents that name what the repository has no more: found with the proof, nothing guessed."""

import json
from pathlib import Path

import pytest

from pit_memory.core.documents.sections import split
from pit_memory.core.documents.staleness import just_recipes, make_targets, mentions_of
from pit_memory.operations.quality.lint import LintedFile
from pit_memory.operations.quality.staleness import stale_findings
from pit_memory.sources.front_matter import FrontMatter
from tests.builders import git, make_repository, write_files

MAKEFILE = ".PHONY: test\ntest: build\n\tpytest\nbuild undo:\n\t@echo $(X)\nV := 1\n"


def found(root: Path, text: str, **front: object) -> list[str]:
    file = LintedFile("docs/a.md", text, split(text), FrontMatter(front))
    problems = stale_findings(root, [file], "2026-06-01")
    lines = [f"{problem.line}: {problem.rule}: {problem.message}" for problem in problems]
    return sorted(lines)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = make_repository(
        tmp_path / "p",
        {
            "src/app/old.py": "print('the old way of starting the gateway, line by line')\n" * 9,
            "src/app/kept.py": "",
            "scripts/run.sh": "",
            "Makefile": MAKEFILE,
            "package.json": json.dumps(
                {"scripts": {"dev": "vite"}, "dependencies": {"vite": "^5.4.1"}}, indent=1
            ),
            "requirements.lock": "# lock\nqdrant-client==1.18.0 \\\n    --hash=x\n",
            "Dockerfile": "FROM python:3.12.4-slim\n",
        },
    )
    git(root, "mv", "src/app/old.py", "src/app/new.py")
    git(root, "rm", "--quiet", "scripts/run.sh")
    git(root, "commit", "--quiet", "--message", "Tidy up")
    return root


def test_a_file_is_gone_where_the_history_shows_that_it_was_there(project: Path):
    commit = git(project, "rev-parse", "--short", "HEAD").strip()
    day = git(project, "show", "--no-patch", "--format=%as", "HEAD").strip()
    text = (
        "# A\n\nSee `src/app/old.py` and `run.sh`, not src/app/old.py.\n\n```sh\n"
        "scripts/run.sh -v\n```\n\n"
        "`src/app/kept.py`, `kept.py`, `never/was.py`, `was.py`, `src/app/*.py`, `a/b`.\n"
    )
    assert found(project, text) == [
        f"3: stale-file: `run.sh` is gone since {commit} ({day})",
        f"3: stale-file: `src/app/old.py` is gone since {commit} ({day}); it is src/app/new.py now",
        f"6: stale-file: `scripts/run.sh` is gone since {commit} ({day})",
    ]


def test_a_command_is_gone_where_its_manifest_does_not_name_it(project: Path):
    text = (
        "# A\n\nRun `make test`, `make undo`, `make -j4 deploy`, `make -C sub other`, `just x`.\n\n"
        "```console\n$ npm run dev\n$ npm run build\n```\n\n```python\nmake = 'no'\n```\n"
    )
    assert found(project, text) == [
        "3: stale-command: Makefile has no target 'deploy'",
        "7: stale-command: package.json has no script 'build'",
    ]


def test_a_pinned_version_is_compared_with_the_manifests(project: Path):
    text = (
        "# A\n\n`qdrant-client==1.17.2`, `vite@5.4`, `vite@4.0.1`, `python:3.11.2-slim`.\n\n"
        "Also `qdrant-client==1.18`, `unknown==1.0.0` and since qdrant-client 1.9 it is faster.\n"
    )
    assert found(project, text) == [
        f"3: stale-version: {version} is not what the repository has: {proof}"
        for version, proof in (
            ("python 3.11.2-slim", "Dockerfile:1 says 3.12.4-slim"),
            ("qdrant-client 1.17.2", "requirements.lock:2 says 1.18.0"),
            ("vite 4.0.1", "package.json:6 says 5.4.1"),
        )
    ]


def test_a_review_is_due_after_its_day(project: Path):
    text = "---\nreview_after: 2026-05-31\n---\n# A\n\nText.\n"
    assert found(project, text, review_after="2026-05-31") == [
        "2: review-due: review_after was 2026-05-31; read it through, then set the next date"
    ]
    assert found(project, text, review_after="2026-06-01") == []
    assert found(project, text, review_after=True) == []


def test_without_a_repository_nothing_is_called_gone(tmp_path: Path):
    root = write_files(tmp_path / "plain", {"a.txt": ""})
    assert found(root, "# A\n\nSee `src/app/old.py` and `x==1.0`.\n") == []


def test_a_makefile_that_includes_others_proves_nothing():
    assert make_targets(MAKEFILE) == {"test", "build", "undo"}
    assert make_targets("include common.mk\n" + MAKEFILE) is None
    assert make_targets("%.o: %.c\n\tcc\n") is None
    assert just_recipes("alias b := build\nbuild target:\n  x\n@quiet:\n  y\nv := 'x'\n") == {
        "b",
        "build",
        "quiet",
    }
    assert just_recipes("import 'x.just'\nbuild:\n") is None


def test_addresses_patterns_and_comments_are_no_claims():
    text = (
        "`https://x.example/a/b.py` `a/{b}.py` `~/c/d.py` `/etc/e.conf`\n\n```sh\n# src/x.py\n```\n"
    )
    assert list(mentions_of(split(text))) == []
