"""A key of the settings: one field of a table's record, which says all there is to know of it."""

from dataclasses import Field, dataclass, field
from typing import Any, Literal

from pit_memory.core.settings.setting_values import Takes

Setter = Literal["project", "person"]
"""Who may set a key: `person` keys in a project's file are reported and ignored."""


def setting_key(
    default: object,
    takes: Takes[Any],
    doc: str,
    *,
    by: Setter = "project",
    harmless: tuple[object, ...] = (),
    guards: bool = False,
) -> Any:  # noqa: ANN401 -- the field's own type, like dataclasses.field
    """Make the field of a settings record that is one key.

    Args:
        default: its value where nobody set it.
        takes: the kind of value.
        doc: what it does, one line.
        by: who may set it.
        harmless: values that a project may set though it is the person's key.
        guards: it keeps something from being told or changed: a wrong value is never ignored.
    """
    metadata = {"takes": takes, "doc": doc, "by": by, "harmless": harmless, "guards": guards}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Key:
    """A row of the table of keys."""

    name: str
    """Dotted, as in TOML."""
    doc: str
    """What it does, one line."""
    default: object
    takes: Takes[Any]
    by: Setter
    harmless: tuple[object, ...]
    """Values that a project may set though it is the person's key."""
    guards: bool
    """It keeps something from being told or changed: a wrong value is never ignored."""

    @property
    def environment(self) -> str:
        """Name of its environment variable; empty where no line of text can hold its value."""
        if self.takes.parse is None:
            return ""
        return "PIT_MEMORY_" + self.name.upper().replace(".", "_")


def key_of(part: Field[Any], table: str = "") -> Key:
    """The row of a field that `setting_key` made."""
    name = f"{table}.{part.name}" if table else part.name
    return Key(name=name, default=part.default, **part.metadata)
