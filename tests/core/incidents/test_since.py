import pytest

from pit_memory.core.incidents.since import since_date
from pit_memory.errors import UsageError


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2024-05-17", "2024-05-17"),
        ("2024-05", "2024-05-01"),
        ("2024", "2024-01-01"),
        ("17 May 2024", "2024-05-17"),
        ("90d", "2024-03-03"),
        ("2 weeks ago", "2024-05-18"),
        ("1y", "2023-06-02"),
        ("9999y", "1970-01-01"),
        ("2024-06-01", "2024-06-01"),
    ],
)
def test_a_day_is_read_as_people_write_it(written, day):
    assert since_date(written, "2024-06-01") == day


@pytest.mark.parametrize(
    ("written", "said"), [("2024-06-02", "in the future"), ("soon", "no date"), ("", "no date")]
)
def test_what_is_no_day_of_the_past_is_refused_with_its_value(written, said):
    with pytest.raises(UsageError, match=said):
        since_date(written, "2024-06-01")
