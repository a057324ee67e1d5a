"""What the tests in the real Claude Code share: when they run, and what its model saw."""

import os

import pytest

CLAUDE = os.environ.get("CLAUDE_BIN")
NEEDS_CLIENT = [
    pytest.mark.skipif(not CLAUDE, reason="the real client isn't here: set CLAUDE_BIN"),
    pytest.mark.timeout(300),
]
DOCS = {
    "docs/keys.md": "# Keys\n\n## Rotation\n\nRotate the signing key with `keyctl rotate`.\n",
    "docs/deploy.md": "# Deploy\n\n## Roll back\n\nRoll back with `make undo`.\n",
}
WAIT_FOR_SERVERS = {"MCP_CONNECTION_NONBLOCKING": "0"}


def answers(result):
    """What the model read of each docs_search."""
    found = [r for r in result.results() if r["tool"].endswith("__docs_search")]
    for answer in found:
        print(answer["text"])  # noqa: T201 - what the model saw
    assert not any(answer["error"] for answer in found)
    return [answer["text"] for answer in found]
