"""Who asks: what one connection may see and do.

The one place a request's assignment comes from. Over HTTP it is made from the claims of a token,
over stdin and stdout from this machine's settings; never from an argument of a tool.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

AUDIENCES = ("team", "customer", "ai_internal")
"""Of documents; the first is that of a document that names none."""
_READS: Mapping[str, tuple[str, ...]] = {
    "customer": ("customer",),
    "team": ("customer", "team"),
    "ai_internal": AUDIENCES,
}
"""What a reader of each audience sees. What only agents may see is for agents that keep it."""

Need = Literal["nothing", "writes", "assignment", "facts to write"]
"""What a tool asks of a connection: it isn't there for the others."""


@dataclass(frozen=True, slots=True)
class Access:
    """What one connection may see and do."""

    name: str
    """Of the token or person, for logs and limits; never a secret."""
    assignment: str | None = None
    """The scope of facts; None: there are no facts for it."""
    audiences: tuple[str, ...] = AUDIENCES
    """Documents of these audiences exist for it; never empty. Facts go by the assignment alone."""
    may_write: bool = True
    is_local: bool = False
    """It is the person at this machine."""

    @property
    def sees_all(self) -> bool:
        """Whether documents of every audience exist for it."""
        return set(self.audiences) == set(AUDIENCES)

    def meets(self, need: Need) -> bool:
        """Tell whether a tool that asks for something exists for this connection."""
        if need in ("assignment", "facts to write") and self.assignment is None:
            return False
        if need == "assignment":
            return True
        return need == "nothing" or self.may_write


LOCAL = Access("local", is_local=True)
"""The person at this machine: everything but facts, which need an assignment."""


def readable(audiences: Iterable[str]) -> tuple[str, ...]:
    """The audiences of documents that a reader of some audiences sees, in their fixed order.

    Raises:
        ValueError: none is given, or one is unknown; names it.
    """
    seen: set[str] = set()
    for audience in audiences:
        if audience not in _READS:
            message = f"no audience {audience!r}; there are {', '.join(AUDIENCES)}"
            raise ValueError(message)
        seen.update(_READS[audience])
    if not seen:
        message = f"no audience is named; there are {', '.join(AUDIENCES)}"
        raise ValueError(message)
    return tuple(audience for audience in AUDIENCES if audience in seen)
