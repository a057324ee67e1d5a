"""The drafts of one project and everything a person can do with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pit_memory.core.writing.draft_cards import PublishOutcome
from pit_memory.operations.drafts.draft_files import find_draft
from pit_memory.operations.drafts.draft_overlaps import find_overlaps
from pit_memory.operations.drafts.drafts import DraftsReport, list_drafts
from pit_memory.operations.drafts.propose import ProposalReport, propose
from pit_memory.operations.drafts.publish import Approved, PublishDesk, chosen_way, discard, publish
from pit_memory.operations.indexing.look import LookedStore, look
from pit_memory.operations.indexing.sync import index_paths
from pit_memory.operations.searching.searched_sources import own_source

if TYPE_CHECKING:
    from pit_memory.operations.services import Services


@dataclass(frozen=True, slots=True)
class DraftDesk:
    """A project whose drafts somebody looks through."""

    services: "Services"
    approved_by: str = ""
    """Who chose, for the commits; empty where nobody is named."""

    def list(
        self, *, names: Sequence[str] = (), mine: bool = False, overlaps: bool = False
    ) -> DraftsReport:
        """List drafts; with what is published already, after a look.

        It only asks: a wrong key of the settings stops those alone who publish and discard.

        Raises:
            NotFoundError: a name means no draft.
        """
        root, settings = self.services.root, self.services.settings
        paths = [find_draft(root, name) for name in names]
        find = None
        if overlaps:
            opened = self.services.stores[0]
            look([LookedStore(opened.store, opened.sources)])
            find = partial(find_overlaps, opened.searched)
        own = own_source(root, settings)
        return list_drafts(own, settings, paths=paths, mine=mine, overlaps=find)

    def publish(
        self, approved: Sequence[Approved], *, dry_run: bool = False
    ) -> tuple[PublishOutcome, ...]:
        """Publish the drafts that a person chose, one commit each, and index them."""
        return tuple(publish(self._publishing(), approved, dry_run=dry_run))

    def propose(self, approved: Sequence[Approved]) -> ProposalReport:
        """Propose the drafts that a person chose, on one branch, by one pull request."""
        return propose(self._publishing(), approved)

    def discard(self, names: Sequence[str]) -> tuple[PublishOutcome, ...]:
        """Remove drafts, one commit each."""
        return tuple(discard(self._publishing(), names))

    def way(self, asked: str) -> str:
        """How drafts are published here, `commit` or `pr`; what was asked for counts."""
        return chosen_way(self._publishing(), asked)

    def _publishing(self) -> PublishDesk:
        project = self.services.write_to(self.services)
        index = partial(index_paths, project.store, project.own)
        return PublishDesk(project.own, project.settings, project.where, index, self.approved_by)
