"""Tokens as a person makes, lists and revokes them."""

import json
import stat
from functools import partial

import pytest

from pit_memory.core.serving.bearer_tokens import find, seconds_of
from pit_memory.errors import SettingsError, UsageError
from pit_memory.workspace.token_file import TokenFile
from tests.cli import commands


@pytest.fixture
def tokens(home):
    return TokenFile(home / "data/tokens.json")


@pytest.fixture
def run(capsys):
    return partial(commands.run, capsys)


def test_a_token_is_shown_once_and_kept_as_a_hash(run, tokens):
    made = run("token", "add", "ci", "--assignment", "acme", "--tools", "write")

    secret = made.out.strip()
    assert secret.startswith("pit_")
    assert secret not in tokens.path.read_text()
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600
    record = find(tokens.tokens(), secret)
    assert record
    assert (record.access.name, record.access.assignment) == ("ci", "acme")
    assert record.access.audiences == ("team", "customer")
    assert record.access.may_write
    listed = run("token", "list")
    assert "ci" in listed.out
    assert record.sha256 not in listed.out + run("token", "list", "--json").out


def test_the_assignment_of_a_token_is_the_name_that_facts_have_of_it(run, tokens):
    secret = run("token", "add", "ci", "--assignment", "mu\u0308ller").out.strip()
    record = find(tokens.tokens(), secret)
    assert record
    assert record.access.assignment == "m\u00fcller"
    assert run("token", "add", "long", "--assignment", "a" * 200).code == 0


def test_a_revoked_token_stays_in_the_list_and_its_name_can_be_used_again(run, tokens):
    run("token", "add", "ci")
    run("token", "revoke", "ci")
    assert json.loads(run("token", "list", "--json").out)[0]["standing"] == "revoked"

    assert run("token", "add", "ci").code == 0
    assert [row["standing"] for row in json.loads(run("token", "list", "--json").out)] == ["valid"]
    assert len(tokens.tokens()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "ci"], "there is a token ci already"),
        (["add", "no name"], "is no name for a token"),
        (["add", "x" * 65], "is no name for a token"),
        (["add", "x", "--assignment", ""], "--assignment"),
        (["add", "x", "--assignment", "two\nlines"], "--assignment"),
        (["add", "x", "--assignment", "team/a"], "--assignment: 'team/a' holds '/'"),
        (["add", "x", "--expires", "soon"], "--expires is 'soon'"),
        (["add", "x", "--expires", "0d"], "--expires is '0d'"),
        (["add", "x", "--audience", "everyone"], "everyone"),
        (["revoke", "nobody"], "pit-memory token list"),
        (["revoke", "ci-bort"], "did you mean ci-bot?"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_changed(run, tokens, arguments, said):
    run("token", "add", "ci")
    run("token", "add", "ci-bot")
    before = tokens.path.read_bytes()

    ran = run("token", *arguments)

    assert ran.code == 2
    assert said in ran.err
    assert tokens.path.read_bytes() == before


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"tokens": [{}]}', '{"tokens": [{"name": 1}]}', '{"tokens": 3}']
)
def test_a_damaged_file_is_named_and_never_overwritten(run, tokens, content):
    run("token", "add", "ci")
    tokens.path.write_text(content)

    ran = run("token", "add", "other")

    assert ran.code == 2
    assert str(tokens.path) in ran.err
    assert tokens.path.read_text() == content
    with pytest.raises(SettingsError):
        TokenFile(tokens.path).tokens()


def test_an_empty_list_says_how_to_begin(run):
    assert "pit-memory token add" in run("token", "list").err


@pytest.mark.parametrize(
    ("span", "seconds"), [("12h", 43_200), ("90d", 7_776_000), ("1y", 31_536_000)]
)
def test_spans_are_read(span, seconds):
    assert seconds_of(span) == seconds
    assert seconds_of("never") is None
    with pytest.raises(UsageError):
        seconds_of("1 d")
