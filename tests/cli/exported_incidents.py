"""Incidents as other systems export them, and what becomes of them in a project."""

import json
from pathlib import Path
from typing import Any

from tests.builders import write_files
from tests.cli.commands import Outcome, run

HOME = "docs/incidents"
ISSUE: dict[str, Any] = {
    "number": 12,
    "title": "Checkout returned 502",
    "body": "<p>Customers saw a blank page.</p><h2>Root cause</h2>"
    "<p>Retry loop &amp; small pool</p><h2>Fix</h2><ul><li>fewer retries</li></ul>"
    "<script>alert(1)</script>",
    "labels": [{"name": "incident"}, {"name": "service: checkout"}, {"name": "SEV-1"}],
    "created_at": "2024-05-17T10:00:00Z",
    "closed_at": "2024-05-17T12:10:00Z",
    "updated_at": "2024-05-20T10:00:00Z",
    "html_url": "https://github.com/acme/shop/issues/12",
    "url": "https://api.github.com/repos/acme/shop/issues/12",
    "state": "closed",
}
CHECKOUT = f"{HOME}/2024-05-17-checkout-returned-502.md"


def incidents(capsys, project: Path, *words: str) -> Outcome:
    return run(capsys, "incidents", *words, "--root", str(project))


def export(folder: Path, name: str, content: object) -> str:
    text = content if isinstance(content, str) else json.dumps(content)
    write_files(folder, {name: text})
    return str(folder / name)


def records(project: Path) -> list[str]:
    return sorted(path.name for path in (project / HOME).glob("*.md"))
