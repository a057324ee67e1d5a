"""Folders of a server that a client has no use for: told relative to the project, or by a word."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Answer = TypeVar("Answer", bound=DataclassInstance)

_OURS = frozenset({"notes", "reason", "why_not", "why_not_retrievable", "place", "visible"})
"""Fields of answers and receipts, and of what is in them, that hold sentences of ours."""
_REST = r"(?:/[^\s:;,()'\"]*)?(?![\w-])"
"""What follows a folder's name in a sentence, up to the end of the path."""


@dataclass(frozen=True, slots=True)
class ServerFolders:
    """The folders of a server; without any nothing is changed."""

    project: Sequence[str] = ()
    """The project's root, by each name it has; absolute."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Other folders, and what is said in place of a path at or below each."""

    def without(self, text: str) -> str:
        """A sentence of ours without these folders; not for text of documents."""
        for folder in self.project:
            named = rf"(?<![\w/]){re.escape(folder)}"
            text = re.sub(rf"{named}/(?=[^\s/])", "", text)
            text = re.sub(rf"{named}/?(?![\w/-])", "the project", text)
        for folder in sorted(self.others, key=len, reverse=True):
            word = self.others[folder]
            text = re.sub(rf"(?<![\w/]){re.escape(folder)}{_REST}", word, text)
        return text

    def of(self, answer: "Answer") -> "Answer":
        """An answer or a receipt, its own sentences without these folders."""
        changed: dict[str, object] = {}
        for each in fields(answer):
            value = getattr(answer, each.name)
            if is_dataclass(value) and not isinstance(value, type):
                changed[each.name] = self.of(value)
            elif each.name in _OURS and isinstance(value, str):
                changed[each.name] = self.without(value)
            elif each.name in _OURS and isinstance(value, tuple):
                changed[each.name] = tuple(map(self.without, value))
        return replace(answer, **changed) if changed else answer
