"""What commits say: cut for a log, and whose facts they speak of."""

import pytest

from pit_memory.core.writing.commit_messages import fact_message, short_message, speaks_of

ID = "0123456789abcdef"
LONG = "a customer of ours with quite a long name indeed"


@pytest.mark.parametrize("what", [ID, f"retracted {ID}", "import 1,204"])
@pytest.mark.parametrize("more", ["", " and 3 more"])
@pytest.mark.parametrize("name", ["acme", "acme eu", "acme-eu", "acme and 3", "ACME", "of acme"])
def test_a_message_of_ours_speaks_of_the_assignment_whose_name_it_holds_whole(
    what: str, more: str, name: str
):
    message = short_message(fact_message(what, name) + more) + "\n"

    assert speaks_of(message, name)
    assert speaks_of(message, "acme") == (name == "acme")


@pytest.mark.parametrize("what", [ID, f"retracted {ID}", "import 7"])
@pytest.mark.parametrize("length", range(20, 60))
def test_a_message_of_ours_that_was_cut_speaks_of_all_that_may_have_stood_there(
    what: str, length: int
):
    name = (LONG * 2)[:length].strip()
    message = short_message(fact_message(what, name) + " and 12 more")

    assert speaks_of(message, name)
    assert not speaks_of(message, "b" + name[1:])
    assert not speaks_of(message, LONG[:7])


@pytest.mark.parametrize(
    ("message", "speaks"),
    [
        ("acme moved", True),
        ("tidy\n\nAll of acme: moved, acme's too.", True),
        ("(acme)", True),
        ("see acme.", True),
        ("acme2 moved", False),
        ("acme-eu, old-acme and acme.org moved", False),
        ("github.com:acme:docs moved", False),
        ("ACME moved", False),
        (f"facts: {ID} of acme-eu\n\nSigned-off-by: M <m@acme>", False),
        (f"facts: {ID} of acme-eu\n\nAsked for by acme", True),
    ],
)
def test_a_message_of_a_person_speaks_of_a_name_that_is_no_part_of_another(
    message: str, speaks: bool
):
    assert speaks_of(message, "acme") is speaks


def test_a_name_is_found_however_its_accents_are_composed():
    assert speaks_of("mu\u0308ller moved", "m\u00fcller")
