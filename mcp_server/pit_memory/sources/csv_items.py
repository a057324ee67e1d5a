"""Rows of CSV exports, one after another, as records with the names of the header row as keys."""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO

from pit_memory.sources.json_items import Item

_DELIMITERS = ",;\t"
"""What spreadsheets put between cells, by language and format."""
_MOST_CELL_CHARACTERS = 10_000_000
"""A report may stand in a cell; the library's own limit is 131,072."""


def csv_items(stream: IO[str]) -> Iterator[Item]:
    """The rows below the header, numbered as a spreadsheet does: the header is row 1.

    Cells are texts; of columns of one name, as Jira has for labels, those that hold something are
    a list. Cells that are empty are left out, and so are rows without any.

    Args:
        stream: opened with `newline=""`.
    """
    csv.field_size_limit(_MOST_CELL_CHARACTERS)
    first = stream.readline()
    delimiter = max(_DELIMITERS, key=first.count)
    rows = csv.reader(chain([first], stream), delimiter=delimiter, strict=True)
    number = 0
    try:
        header = [name.strip() for name in next(rows, [])]
        number = 1
        if len(header) < 2:
            yield 1, None, f"no table: its first row, {first.strip()[:60]!r}, names no columns"
            return
        for number, row in enumerate(rows, start=2):
            if any(cell.strip() for cell in row[len(header) :]):
                yield number, None, f"{len(row)} cells below {len(header)} names of columns"
            elif any(cell.strip() for cell in row):
                yield number, _record(header, row), ""
    except csv.Error as error:
        yield number + 1, None, f"not CSV ({error}); what follows can't be read"


def _record(header: Sequence[str], row: Sequence[str]) -> dict[str, object]:
    cells: dict[str, list[str]] = {}
    for name, cell in zip(header, row, strict=False):
        if name and cell.strip():
            cells.setdefault(name, []).append(cell.strip())
    return {name: held[0] if len(held) == 1 else held for name, held in cells.items()}
