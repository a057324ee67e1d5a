"""Runbooks: pages that say what to do when an alert fires."""

import re
from collections.abc import Collection

RUNBOOK = "runbook"
"""A type of page (front matter `type: runbook`), and the tag of such pages."""
_NAMED = re.compile(r"(?:^|[/\W_])(?:run|play)[-_ ]?books?(?:[/\W_]|$)", re.IGNORECASE)


def is_runbook(path: str, title: str, tags: Collection[str]) -> bool:
    """Whether a page is a runbook, by its folders and name, its title or its tags."""
    return any(map(_NAMED.search, (path, title, *tags)))
