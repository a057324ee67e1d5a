"""Answers as text for agents and people who read plain text."""

from pit_memory.core.answers import SearchAnswer


def answer_text(answer: SearchAnswer) -> str:
    """The whole answer as text, within its budget; ends without a line end."""
    raise NotImplementedError
