"""Corpora and recordings that live beside the checkout, in `../shared`, and are not part of it."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
MCP_SERVER = PROJECT / "mcp_server"
"""Where the package is imported from."""
SHARED = PROJECT.parent / "shared"


def shared(path: str) -> Path:
    """Return a file or folder of `../shared`; skip the test, with the reason, without it."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"../shared/{path} is not beside this checkout")
    return found
