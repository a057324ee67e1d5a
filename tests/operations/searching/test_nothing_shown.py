"""What an answer without hits says of the look before it."""

from pathlib import Path

import pytest

from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.answers.answers import LegReport, SearchAnswer
from pit_memory.operations.indexing.look import LookReport
from pit_memory.operations.searching.nothing_shown import with_what_may_answer
from pit_memory.operations.searching.search import SearchRequest

RAN = LegReport("ran", "")
NOTHING = SearchAnswer("keys", "hybrid", False, (), RAN, RAN, 0, 800, 0, 3)
"""Of hits whose files could not be read, while three files wait."""


@pytest.mark.parametrize(
    ("failed", "said"),
    [(True, "can't be read now"), (False, "have changed or are gone; ask again")],
)
def test_nobody_is_told_to_ask_again_of_a_source_that_is_gone_though_others_wait(failed, said):
    seen = LookReport(0, 3, (), failed=failed)
    answer = with_what_may_answer(NOTHING, SearchRequest("keys"), seen, [], Path("/project"))
    assert answer_text(answer).split("\n")[0] == f"nothing to show: the files that answer {said}"
