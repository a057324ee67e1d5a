"""A project with two drafts and a site, and a person who publishes them."""

from collections.abc import Callable
from pathlib import Path

from pit_memory.core.writing.draft_cards import PublishOutcome
from pit_memory.operations.drafts.publish import Approved
from pit_memory.operations.services import Services
from pit_memory.wiring import draft_desk
from tests.builders import git

DRAFT = """\
---
title: Gateway port
draft: true
author: Ada Example
---

# Gateway port

The gateway listens on port 8443, see [the runbook](../runbook.md#restart) and ![x](../img/x.png).
"""
MKDOCS = """\
site_name: X   # kept
exclude_docs: |
  _drafts/
extra:
  key: !ENV [KEY, none]
nav:
  - Home: index.md
  # the reference, by hand
  - Reference:
      - "Ports": reference/ports.md  # first
      - reference/logs.md
  - Runbook: runbook.md
plugins: []
"""
INDEX = "# Home\n\nSee [port](_drafts/gateway-port.md#gateway-port), [[gateway-port]].\n"
PORTS = "# Ports\n\n## Public\n\nPort 443.\n\n### Detail\n\nMore.\n\n## Last\n\nEnd.\n"
FILES: dict[str, str | bytes] = {
    "docs/_drafts/gateway-port.md": DRAFT,
    "docs/_drafts/other.md": "---\ntitle: Other\ndraft: true\n---\n# Other\n\nAnother fact here.\n",
    "docs/index.md": INDEX,
    "docs/runbook.md": "# Runbook\n\n## Restart\n\nIt is; docs/_drafts/gateway-port.md#x says.\n",
    "docs/img/x.png": b"png",
    "docs/reference/ports.md": PORTS,
    "mkdocs.yml": MKDOCS,
    "mine.txt": "a\n",
}
TARGET = "docs/reference/gateway-port.md"

Publish = Callable[..., PublishOutcome]


def committed(root: Path) -> set[str]:
    return {*git(root, "show", "--name-only", "--no-renames", "--format=", "HEAD").split()}


def publishing(services: Services) -> Publish:
    """Publish one draft, as Ada."""

    def publish(name: str = "gateway-port", *, dry_run: bool = False, **more) -> PublishOutcome:
        (outcome,) = draft_desk(services, "Ada").publish([Approved(name, **more)], dry_run=dry_run)
        return outcome

    return publish
