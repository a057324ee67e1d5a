"""Quotations and the sentences around them."""

import pytest

from pit_memory.core.corpus.answer_claims import claims_of
from pit_memory.core.text.quotations import find_lines, holds, quotations_in

PAGE = [
    "The gib-",
    "bon is a *well-known* singer; its",
    "song  lasts an [hour](song.md) \u201cat dawn\u201d.",
    "Nobody else sings.",
]


@pytest.mark.parametrize(
    ("quotation", "lines"),
    [
        ("the gibbon is a well-known singer", (0, 1)),
        ("The gibbon is a wellknown singer; its song lasts an hour", (0, 2)),
        ("lasts an hour 'at dawn'", (2, 2)),
        ("its song lasts an hour at dawn. Nobody else", (1, 3)),
        ("The gibbon ... Nobody else sings.", (0, 3)),
        ("Nobody else ... The gibbon", None),
        ("the gibbon is a bad singer", None),
        ("gibbon is singer", None),
        ("...", None),
    ],
)
def test_a_quotation_is_found_whatever_divides_its_words(quotation, lines):
    assert find_lines(PAGE, quotation) == lines
    if lines:
        assert holds("\n".join(PAGE), quotation)


def test_names_in_quotation_marks_are_no_quotations():
    text = (
        'The "gibbon" sings "for a whole hour", said \u201cthe keeper of the zoo\u201d, '
        "\u00abpas mal\u00bb."
    )
    assert list(quotations_in(text)) == ["for a whole hour", "the keeper of the zoo"]


def claims(text):
    return [(it.line, it.refs, it.asserts) for it in claims_of(text.split("\n"))]


def test_sentences_have_the_refs_in_them_and_right_behind_them():
    text = (
        "# Songs\n\nGibbons sing for an hour (zoo::a.md#songs@0123abcd). They eat figs every day.\n"
        "(docs/diet.md:L3-L5, b.pdf#p12) Nobody knows why they do it.\n\n"
        "- Figs are sweet and soft `a.md`.\n"
    )
    assert claims(text) == [
        (3, ("zoo::a.md#songs@0123abcd",), True),
        (3, ("docs/diet.md:L3-L5", "b.pdf#p12"), True),
        (4, (), True),
        (6, ("a.md",), True),
    ]


def test_a_sentence_of_three_words_claims_something_and_keeps_its_refs_to_itself():
    text = "Nobody reads the old log. TLS is required (a.md#tls). See also b.md#x. Port is 8443."
    assert claims(text) == [
        (1, (), True),
        (1, ("a.md#tls", "b.md#x"), True),
        (1, (), True),
    ]
    assert [it for it in claims("Done. Not yet. Is TLS required?") if it[2]] == []


def test_what_claims_nothing_needs_no_ref():
    text = (
        "Here is what I found:\n\n| a | b |\n|---|---|\n\nDo gibbons sing at night?\n\n"
        "```\nno prose here at all\n```\n"
    )
    assert [it for it in claims(text) if it[2]] == []


def test_addresses_are_no_refs():
    assert claims("Read all of it at https://x.org/docs/a.md#songs today.") == [(1, (), True)]
