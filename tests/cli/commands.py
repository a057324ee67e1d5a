"""Run the command line in this process, as a shell would."""

import io
from dataclasses import dataclass

import pytest

from pit_memory.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


def give_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    capsys.readouterr()
    code = main(arguments)
    captured = capsys.readouterr()
    return Outcome(code, captured.out, captured.err)
