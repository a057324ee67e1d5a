"""Facts of two assignments: opened, told, and where they lie."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.serving.access import LOCAL, Access
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.recall import recall
from pit_memory.wiring import open_facts

ALPHA, BETA = replace(LOCAL, assignment="alpha"), replace(LOCAL, assignment="beta")
WINDOW = "The deploy window is Tuesday 09:00 UTC."


@contextmanager
def opened(root: Path, **settings: str) -> Iterator[Facts]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        with open_facts(root) as (facts, _):
            yield facts


def told(facts: Facts, query: str, access: Access = ALPHA, **more) -> list[str]:
    return [fact.text for fact in recall(facts, access, query, **more).facts]


def folder(facts: Facts, assignment: str = "alpha") -> Path:
    return facts.home.root / assignment_folder(assignment)
