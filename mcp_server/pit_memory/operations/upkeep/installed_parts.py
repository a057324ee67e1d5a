"""The parts of an installation that may be missing, and what adds them."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pit_memory.workspace.installation import installation


class Part(NamedTuple):
    """One part, and whether it is there."""

    name: str
    """As in the extra of that name."""
    missing: str
    """Why it isn't there, or what adds it; empty where it is."""


def installed_parts(prefix: Path) -> Iterator[Part]:
    """Yield the model and what a team's servers need.

    Args:
        prefix: `sys.prefix` of the process.
    """
    built = installation(prefix)
    missing = ""
    if find_spec("onnxruntime") is None:
        on_its_way = "it is still being installed"
        missing = (built.model_failure or on_its_way) if built else _with_pip("model")
    yield Part("model", missing)
    yield Part("team", why_no_qdrant_client(prefix))


def why_no_qdrant_client(prefix: Path) -> str:
    """Say what adds the client of Qdrant; empty where it is installed."""
    if find_spec("qdrant_client") is not None:
        return ""
    adds = "run `pit-memory setup --team`" if installation(prefix) else _with_pip("team")
    return f"Qdrant's client is not installed: {adds}, then start pit-memory again"


def _with_pip(extra: str) -> str:
    return f'run `pip install "pit-memory[{extra}]"`'
