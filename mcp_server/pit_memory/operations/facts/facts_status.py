"""What `status` says of facts: their home, whose they are, how many; of nobody else's a number."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pit_memory.core.serving.access import Access
from pit_memory.errors import PathError, SettingsError, SourceError, StoreError
from pit_memory.operations.facts.fact_files import read_facts
from pit_memory.operations.facts.facts import Facts, is_home_there, refuse_absent_home, today
from pit_memory.workspace.fact_home import FactHome


@dataclass(frozen=True, slots=True)
class FactsStatus:
    """The facts of whoever asks, as their files have them."""

    home: str
    """Folder of all facts; it need not exist."""
    assignment: str | None
    """Whose facts are asked for here; None where none is resolved."""
    origin: str
    """The variable or the place in a settings file that says so; empty where none does."""
    facts: int | None
    """Facts of that assignment that hold; None where they can't be counted."""
    proposed: int | None
    """Those of them that nobody has approved."""
    refused: int
    """Files of its folder that are not taken for a fact; `facts list` names them."""
    trouble: str
    """Why the home doesn't take this assignment, or isn't there; empty where all is well."""


def facts_status(
    home: FactHome,
    access: Access,
    origins: Mapping[str, str],
    open_facts: Callable[[], Facts] | None,
) -> FactsStatus:
    """Count the facts of who asks, from their files.

    Args:
        home: of the facts.
        access: who asks.
        origins: where each setting that isn't at its default comes from.
        open_facts: opens what was indexed of them; None where nothing was.
    """
    origin = origins.get("assignment", "")
    nothing = FactsStatus(str(home.root), access.assignment, origin, None, None, 0, "")
    if access.assignment is None:
        return nothing
    refused: list[str] = []
    try:
        if open_facts and not is_home_there(home):
            refuse_absent_home(open_facts())
        found = list(read_facts(home, access.assignment, refused))
    except (PathError, SettingsError, SourceError, StoreError) as error:
        return replace(nothing, trouble=str(error))
    day = today()
    holding = [it for it in found if it.assignment == access.assignment and it.holds(day)]
    return replace(
        nothing,
        facts=len(holding),
        proposed=sum(fact.status == "proposed" for fact in holding),
        refused=len(refused),
    )
