import pytest

from pit_memory.core.text.plurals import counted


@pytest.mark.parametrize(
    ("number", "noun", "plural", "expected"),
    [
        (0, "draft", "", "0 drafts"),
        (1, "draft", "", "1 draft"),
        (1_200, "draft", "", "1,200 drafts"),
        (1, "entry", "entries", "1 entry"),
        (2, "entry", "entries", "2 entries"),
    ],
)
def test_a_number_stands_with_its_noun(number: int, noun: str, plural: str, expected: str):
    assert counted(number, noun, plural) == expected
