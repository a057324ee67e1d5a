"""What an agent or a person asks to have written down."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pit_memory.core.serving.access import LOCAL, Access


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """What to write down."""

    content: str
    """Markdown; it may begin with front matter."""
    kind: str
    """A row of `core.kinds` that is written, or another name of it."""
    title: str = ""
    """Empty: what the content says of itself, else its first words."""
    scope: str = ""
    """`project` or `personal`; empty: the kind's usual one."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """Further front matter of the kind; those without a value count as not given."""
    force: bool = False
    """Write it though something near it is there."""
    access: Access = LOCAL
    """Of who writes: another connection than the person's own has no folder of its own here."""
