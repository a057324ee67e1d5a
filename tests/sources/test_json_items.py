import io
import json

import pytest

from pit_memory.sources.json_items import json_items, json_lines

MANY = 20_000


class Counted(io.StringIO):
    """A stream that knows how much of it was read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> str:
        text = super().read(size)
        self.taken += len(text)
        return text


def test_a_long_list_is_read_item_by_item():
    stream = Counted(json.dumps([{"number": n, "body": "x" * 50} for n in range(MANY)], indent=1))
    items = json_items(stream)
    assert next(items) == (1, {"number": 0, "body": "x" * 50}, "")
    assert stream.taken < 200_000
    assert [value["number"] for _, value, _ in items] == list(range(1, MANY))


def test_items_larger_than_what_is_read_at_once_are_whole():
    large = {"body": "y" * 300_000}
    assert [value for _, value, _ in json_items(io.StringIO(json.dumps([large, 1, large])))] == [
        large,
        1,
        large,
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[]", []),
        (" \ufeff[1, 2]", [1, 2]),
        ('{"issues": [1, 2], "total": 2}', [1, 2]),
        ('{"title": "one"}', [{"title": "one"}]),
        ("12", [12]),
    ],
)
def test_lists_and_objects_are_read_as_exports_write_them(text, values):
    assert [value for _, value, why in json_items(io.StringIO(text)) if not why] == values


@pytest.mark.parametrize("text", ["", "[1, ", "[1, }", "{", "[" * 5_000])
def test_what_is_broken_is_told_once(text):
    whys = [why for _, _, why in json_items(io.StringIO(text)) if why]
    assert len(whys) == 1
    assert "not JSON" in whys[0]


def test_lines_keep_their_numbers():
    lines = list(json_lines(io.StringIO('{"a": 1}\n\nbroken\n{"a": 2}\n')))
    assert [(number, value) for number, value, why in lines if not why] == [
        (1, {"a": 1}),
        (4, {"a": 2}),
    ]
    assert [number for number, _, why in lines if why] == [3]
