"""What a search answers: hits with citations, what each leg did, what was cut."""

from dataclasses import dataclass, field
from typing import Literal

from pit_memory.core.documents.incident_record import Incident

LegState = Literal["ran", "degraded", "skipped"]
Mode = Literal["hybrid", "keyword", "semantic"]
Band = Literal["strong", "weak"]

DEFAULT_LIMIT = 5
"""Hits shown unless settings or caller say otherwise."""
LIMIT_BOUNDS = (1, 50)
DEFAULT_BUDGET = 800
"""Estimated tokens of a whole answer, likewise."""
BUDGET_BOUNDS = (50, 20_000)


@dataclass(frozen=True, slots=True)
class SnippetLine:
    """One line of the file, or a sentence over several, as shown under a hit."""

    line: int
    """1-based line number in the file, of a sentence that of its beginning."""
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One section that answers, ready to show and to cite."""

    ref: str
    """The whole citation, pasteable: `[source::]path#anchor@hash`."""
    source: str
    path: str
    anchor: str
    """Empty where the hit is the text before the first heading."""
    title: str
    breadcrumb: tuple[str, ...]
    """Page title first, then headings down to its own; what a person reads."""
    lines: tuple[int, int]
    collection: str
    kind: str
    status: str
    band: Band
    url: str | None
    snippet: tuple[SnippetLine, ...]
    incident: Incident | None = None
    """What the record says, where the hit is one; its snippet is symptom, cause, resolution."""
    is_related: bool = False
    """A page of the docs, or a runbook, beside the incidents that were asked for."""
    copies: tuple[str, ...] = ()
    """Paths of other versions and translations that say the same, folded into this hit."""


@dataclass(frozen=True, slots=True)
class LegReport:
    """What one leg did: "found nothing" (`ran`) differs from "could not look" (`degraded`)."""

    state: LegState
    reason: str
    """Empty for `ran`; else one line with cause and, where there is one, the remedy."""
    seconds: float = field(default=0.0, compare=False)
    """How long it took."""
    failed: bool = False
    """Whether it could not look at all: its engine is missing or broken, or it is out of reach."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer of one search."""

    query: str
    mode: Mode
    abstained: bool
    """True where nothing was above the floor; `nearest` then names three headings."""
    hits: tuple[Hit, ...]
    keyword: LegReport
    semantic: LegReport
    used_tokens: int
    budget: int
    more: int
    """Hits above the floor that are not shown."""
    pending_files: int
    """Files seen by the look that are not indexed yet."""
    nearest: tuple[str, ...] = ()
    """Refs of the nearest headings, only when abstained."""
    notes: tuple[str, ...] = ()
    """One line each: what is cut, stale, refused or wrong in this answer."""
    is_behind: bool = False
    """Whether files could not be read, or the look at a source was refused or failed: told only
    where there are no hits."""
    lead: str = ""
    """Said before the hits, or of what was not found; empty for what is usual."""

    @property
    def looked_everywhere(self) -> bool:
        """False where files wait or can't be read, or meaning is not whole: more may be there."""
        waits = self.pending_files or self.is_behind
        return not waits and self.semantic.state != "degraded"
