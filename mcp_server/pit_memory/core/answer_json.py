"""Answers as JSON values: the stable contract of `--json`."""

from pit_memory.core.answers import SearchAnswer


def answer_json(answer: SearchAnswer) -> dict[str, object]:
    """The answer with the keys of the contract, ready for `json.dumps`."""
    raise NotImplementedError
