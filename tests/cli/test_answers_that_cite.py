"""`citations check -` and `search --quote`: an answer holds, a quotation has a page."""

import json

import pytest

from tests.builders import write_files
from tests.cli.commands import give_standard_input, run
from tests.pdf_builder import make_pdf

pytestmark = pytest.mark.usefixtures("words_only", "no_background")

APES = (
    "# Apes\n\n## Songs\n\nThe gibbon sings for a whole\nhour at dawn.\n\n"
    "## Diet\n\nIt eats figs.\n"
)


@pytest.fixture
def here(tmp_path, home, capsys):
    root = write_files(tmp_path / "project", {"docs/apes.md": APES, ".pit-memory.toml": ""})
    book = make_pdf(
        [["Preface."], ["The siamang has a throat-", "sac that is as large as its head."]]
    )
    write_files(home / "Books", {"apes.pdf": book})
    run(capsys, "docs", "add", str(home / "Books"), "--root", str(root))
    return ("--root", str(root))


@pytest.fixture
def check(here, capsys, monkeypatch):
    def check(text, *arguments):
        give_standard_input(monkeypatch, text.encode())
        return run(capsys, "citations", "check", "-", *arguments, *here)

    return check


def test_an_answer_that_holds_passes(check):
    text = (
        'It "sings for a whole hour at dawn" (docs/apes.md#songs).\n'
        'A siamang\'s sac "is as large as its head" (Books::apes.pdf#p2).\n'
    )
    outcome = check(text)
    assert (outcome.code, outcome.out) == (0, "")
    assert "2 sentences, 2 refs, 2 quotations, 0 findings" in outcome.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "It eats figs there (docs/apes.md#food).",
            "1: no-such-ref: docs/apes.md#food names nothing",
        ),
        ("It eats figs there (docs/ape.md).", "1: no-such-ref: docs/ape.md names nothing"),
        ("It eats figs there (Bocks::apes.pdf#p1).", "did you mean Books::?"),
        ("It eats figs there (Books::apes.pdf#p7).", "no-such-ref"),
        ("It eats figs there (docs/apes.md#diet@00000000).", "changed"),
        ('It "sings for a whole day at dawn" (docs/apes.md#songs).', "not-verbatim"),
        ('It "sings for a whole hour" at dawn (docs/apes.md#diet).', "not-verbatim"),
    ],
)
def test_an_answer_that_does_not_hold_fails(check, text, said):
    outcome = check(text)
    assert outcome.code == 1
    assert said in outcome.out


def test_sentences_without_a_ref_are_listed(check):
    outcome = check("It eats figs there (docs/apes.md#diet).\n\nIt is the best of all apes.\n")
    assert outcome.code == 0
    assert outcome.out == "3: uncited: It is the best of all apes.\n"
    assert "2 sentences, 1 ref, 0 quotations, 1 finding" in outcome.err
    findings = json.loads(check("It is the best of all apes.", "--json").out)["findings"]
    assert findings == [{"line": 1, "rule": "uncited", "message": "It is the best of all apes."}]


def test_short_sentences_are_checked_and_those_that_say_nothing_are_counted(check):
    outcome = check("Figs are eaten. Done. It eats figs (docs/apes.md#food).\n")
    assert outcome.code == 1
    assert outcome.out.startswith("1: uncited: Figs are eaten.\n1: no-such-ref: docs/apes.md#food")
    told = "2 sentences, 1 ref, 0 quotations, 2 findings; 1 of fewer than 3 words not checked\n"
    assert outcome.err == told


def test_a_file_that_is_not_there_is_the_users_to_name(here, capsys):
    outcome = run(capsys, "citations", "check", "nothing.md", *here)
    assert outcome.code == 2
    assert "'nothing.md': No such file or directory" in outcome.err


def test_a_quotation_has_a_page(here, capsys):
    def pages(quotation, *arguments):
        out = run(capsys, "search", "--quote", quotation, "--json", *arguments, *here).out
        return [
            (it["ref"].rpartition("@")[0], it["snippet"][0]["line"])
            for it in json.loads(out)["hits"]
        ]

    assert pages("sings for a whole hour at dawn") == [("docs/apes.md#songs", 5)]
    assert pages("a throat sac that is as large") == [("Books::apes.pdf#p2", 5)]
    assert pages("throatsac ... its head") == [("Books::apes.pdf#p2", 5)]
    assert pages("sings for a whole day") == []
    assert pages("sings for a whole hour", "--source", "Books") == []
    assert (
        "nowhere in these documents" in run(capsys, "search", "--quote", "no such words", *here).out
    )


def test_a_question_or_a_quotation_is_asked_for(here, capsys):
    assert run(capsys, "search", *here).code == 2
    assert run(capsys, "search", "a", "--quote", "b", *here).code == 2
    assert run(capsys, "search", "--quote", "...", *here).code == 2
