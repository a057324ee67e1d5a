"""The rules of the doc standard by name, and how the settings switch one off: with a reason.

Apart from the rules themselves, for the sake of hooks that read the settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pit_memory.core.settings.setting_values import GLOBS, Takes, tables_of

RULES: Mapping[str, str] = {
    "front-matter": "Front matter parses, and the keys that pit-memory reads hold what they take.",
    "no-title": "A document has a title: `title` in its front matter, or a level-1 heading.",
    "vague-heading": "A heading says what its section answers: no `Overview`, `Notes`, `Step 2`.",
    "empty-section": "Every heading but the page's title has text of its own.",
    "short-section": "A section says more than a few words.",
    "long-section": "A section is one dense fact; several are several headings.",
    "duplicate-heading": "No heading is there twice: the anchor of the second one moves.",
    "dead-link": "Links and HTML addresses lead to files that are there.",
    "dead-anchor": "Anchors of links name a section, or an id, of their document.",
    "dead-image": "Images are there.",
    "dead-wikilink": "Wikilinks name a document.",
    "stale-file": "Files of the repository that are named in code are there.",
    "stale-command": "Scripts, make targets and npm scripts that are named exist.",
    "stale-version": "Versions that are said to be pinned are those of the manifest or lock.",
    "review-due": "`review_after` of the front matter has not passed.",
}
"""Every rule with what it asks for, in the order of the reference page."""

DEFAULT_LONGEST = 450
"""Tokens of a section's own text: a search shows its best lines, a read costs it whole."""


@dataclass(frozen=True, slots=True)
class RuleOff:
    """One `[[lint.off]]` table of the settings: a rule that does not hold, and why."""

    rule: str
    reason: str
    paths: tuple[str, ...]
    """Globs of the documents it doesn't hold for; empty means all."""


def _rule_off(rule: str = "", reason: str = "", paths: tuple[str, ...] = ()) -> RuleOff:
    if rule not in RULES:
        message = f"a rule of the doc standard ({', '.join(RULES)}), not {rule!r}"
        raise ValueError(message)
    if not reason.strip():
        message = f"a reason for switching {rule!r} off"
        raise ValueError(message)
    return RuleOff(rule, reason, paths)


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text")  # noqa: TRY004 -- every wrong value is one error to the caller
    return value


_TEXT: Takes[str] = Takes("a text", _read_text, str)

RULES_OFF: Takes[tuple[RuleOff, ...]] = tables_of(
    _rule_off, {"rule": _TEXT, "reason": _TEXT, "paths": GLOBS}
)
"""What the setting `lint.off` takes."""
