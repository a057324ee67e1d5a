"""One project with everything it takes to answer: what commands and tools call."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pit_memory.core.answers.answers import Mode, SearchAnswer
from pit_memory.core.answers.explanation import Explanation
from pit_memory.core.facts.fact_answers import ChangeReceipt, RecallAnswer, StoreReceipt
from pit_memory.core.facts.facts import FACTS
from pit_memory.core.incidents.since import since_date
from pit_memory.core.indexing.vectors import Coverage, summed
from pit_memory.core.kinds import CANARY
from pit_memory.core.progress import Progress
from pit_memory.core.serving.access import AUDIENCES, Access
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source, inside
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.core.writing.untouched import saying_untouched
from pit_memory.errors import UnknownCollectionError
from pit_memory.operations.canary import CanaryReport, check_canary
from pit_memory.operations.gauges import Gauges, gauges
from pit_memory.operations.incidents.incident_list import IncidentList, list_incidents
from pit_memory.operations.indexing.background import Background
from pit_memory.operations.indexing.begun_source import BegunSource
from pit_memory.operations.indexing.index_behind import behind_as_seen
from pit_memory.operations.indexing.look import LookedStore, Looker, LookReport, look_and_ask
from pit_memory.operations.indexing.sync import SyncReport, sync, together
from pit_memory.operations.meter import Meter
from pit_memory.operations.reading.read import ReadAnswer, read
from pit_memory.operations.searching.evaluate import EvaluationQuery, EvaluationResult, evaluate
from pit_memory.operations.searching.explain import explain
from pit_memory.operations.searching.find_quote import find_quote
from pit_memory.operations.searching.incident_search import search_incidents
from pit_memory.operations.searching.nothing_shown import with_what_may_answer
from pit_memory.operations.searching.opened_store import Meaning, OpenedStore
from pit_memory.operations.searching.search import SearchRequest, search, thinking
from pit_memory.operations.usage import UsageCounter
from pit_memory.stores.store import Store

if TYPE_CHECKING:  # what a search does not need is imported by the method that does: 0.2 s
    from pit_memory.core.facts.facts import NewFact
    from pit_memory.core.search.question_sets import LabelledQuestion
    from pit_memory.core.serving.write_request import WriteRequest
    from pit_memory.operations.facts.facts import Facts
    from pit_memory.operations.incidents.incident_import import ImportOptions, ImportReport
    from pit_memory.operations.writing.write import WritableProject
    from pit_memory.stores.catalogue import Catalogue

_IMPORTED_AT_ONCE = 1_000
"""Imported records that are indexed before the import ends; more take minutes."""


Answering = Callable[[SearchRequest, LookReport, Callable[[], SearchAnswer]], SearchAnswer]
"""Answers a request after a look: by other processes, or by what does it in this one."""


@dataclass(frozen=True, slots=True)
class Services:
    """One project, opened; safe to use from several threads."""

    root: Path
    """Absolute, symlinks resolved."""
    settings: Settings
    notes: tuple[str, ...]
    """What of the configuration was ignored, one line each; said in every answer."""
    stores: tuple[OpenedStore, ...]
    """The project's, then the person's where something of it is searched here."""
    background: Background
    write_to: "Callable[[Services], WritableProject]"
    """What a write needs to know; made when there is something to write."""
    open_facts: "Callable[[], Facts]"
    """The person's facts, opened when first asked for."""
    access: Access
    """Of the person at this machine, with the assignment that the settings resolve."""
    has_facts: Callable[[], bool]
    """Whether there are any; opens nothing."""
    looker: Looker = field(default_factory=Looker)
    meter: Meter = field(default_factory=Meter)
    """Counts searches; one for all services that a process opens."""
    usage: UsageCounter | None = None
    """Counts them for `status`, too."""
    answering: Answering | None = None
    """Processes that answer in place of this one, which goes on to look and to count."""
    is_shared: bool = False
    """Many readers ask: what no search would show is not read out either."""

    @property
    def store(self) -> Store:
        """The project's store."""
        return self.stores[0].store

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every source that is searched here."""
        return tuple(source for opened in self.stores for source in opened.sources)

    @property
    def meaning(self) -> Meaning | None:
        """What searches the project's store by meaning; None without a model."""
        return self.stores[0].meaning

    @property
    def without_meaning(self) -> str:
        """Why there is no search by meaning; empty where there is."""
        return self.stores[0].searched.without_meaning

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Look, answer, and let the rest be done in the background."""
        if request.since:
            request = replace(request, since=since_date(request.since, _today()))
        with self._thinking(request):
            looked = self._looked(request)
            asked = partial(self._answered, self._with_settings(request))
            began = time.perf_counter()
            answer = look_and_ask(looked, asked, look=self.looker.look)
        self.meter.searched(request.collection, answer, time.perf_counter() - began)
        if self.usage is not None and request.collection != CANARY:
            self.usage.add(request.collection, answer)
        if answer.pending_files or self._found_gaps(answer):
            self.background.wake()
        return answer

    def explain(self, request: SearchRequest) -> Explanation:
        """Look, and tell why the sections of an answer rank as they do."""
        searched = [opened.searched for opened in self.stores]

        def told(_: LookReport) -> Explanation:
            return explain(searched, self._with_settings(request))

        return look_and_ask(self._looked(request), told, look=self.looker.look)

    def with_addresses(self, answer: SearchAnswer) -> SearchAnswer:
        """An answer whose hits have the address that a person opens."""
        from pit_memory.operations.reading.addresses import (
            with_addresses,  # agents' answers need none
        )

        roots = {source.name: Path(source.root) for source in self.sources}
        return with_addresses(answer, roots, self.settings.links.forge)

    def read(
        self,
        ref: str,
        budget: int,
        audiences: tuple[str, ...] = AUDIENCES,
        *,
        links: bool = False,
    ) -> ReadAnswer:
        """Show what a citation names, from the file; documents of other audiences don't exist.

        Looks first where the cited text is not at its place: what moved a moment ago is found.
        """
        looked = [LookedStore(opened.store, opened.sources) for opened in self.stores]

        def catalogues() -> "list[Catalogue]":
            self.looker.forget()
            return look_and_ask(looked, self._catalogues, look=self.looker.look)

        answer = read(
            ref,
            self.sources,
            catalogues=catalogues,
            budget=budget,
            audiences=audiences,
            links=links,
            only_indexed=self.is_shared,
        )
        return replace(answer, notes=(*answer.notes, *self.notes))

    def _catalogues(self, seen: LookReport) -> "list[Catalogue]":
        if seen.pending_files:
            self.background.wake()
        return [opened.store.catalogue for opened in self.stores]

    def recall(self, access: Access, query: str, limit: int) -> RecallAnswer:
        """Answer a question with the facts of who asks."""
        from pit_memory.operations.facts.recall import recall

        began = time.perf_counter()
        answer = recall(self.open_facts(), access, query, limit)
        self.meter.recalled(answer, time.perf_counter() - began)
        if answer.pending_files:
            self.background.wake()
        return answer

    def store_fact(self, access: Access, new: "NewFact") -> StoreReceipt:
        """Store one fact for who asks."""
        from pit_memory.operations.facts.store_fact import store_fact

        with saying_untouched():
            return store_fact(self.open_facts(), access, new)

    def retract_fact(self, access: Access, fact_id: str, reason: str) -> ChangeReceipt:
        """Take a fact of who asks back."""
        from pit_memory.operations.facts.change_fact import retract_fact

        with saying_untouched("nothing was changed"):
            return retract_fact(self.open_facts(), access, fact_id, reason)

    def read_fact(self, access: Access, ref: str, budget: int) -> ReadAnswer:
        """Show a fact of who asks."""
        from pit_memory.operations.facts.recall import read_fact_ref

        return read_fact_ref(self.open_facts(), access, ref, budget)

    def write(self, request: "WriteRequest") -> WriteReceipt:
        """Write one piece of knowledge to the home of its kind, and find it again."""
        from pit_memory.operations.writing.write import write

        if request.access.is_local and request.access.assignment is None:
            request = replace(request, access=self.access)
        with saying_untouched():
            receipt = write(self.write_to(self), request, _today())
        if receipt.is_written:
            self.background.wake()
        return receipt

    def list_incidents(self, services: Sequence[str] = (), since: str = "") -> IncidentList:
        """List the records of incidents, after a complete look.

        Raises:
            UsageError: `since` can't be read or lies in the future.
        """
        day = since_date(since, _today()) if since else ""
        report = self.sync()
        notes = (*self.notes, *report.refused, *report.notes)
        return list_incidents([it.store.catalogue for it in self.stores], services, day, notes)

    def import_incidents(
        self,
        source: str,
        standard_input: IO[str],
        options: "ImportOptions",
        progress: Progress | None = None,
    ) -> "ImportReport":
        """Import incidents of other systems, and index them: many of them in the background."""
        from pit_memory.operations.incidents.incident_import import import_incidents

        project = self.write_to(self)
        report = import_incidents(project, source, standard_input, options, progress)
        written = 0 if options.dry_run else report.added + report.replaced
        if written > _IMPORTED_AT_ONCE:
            report.is_indexed = False
            self.background.wake()
        elif written:
            self.sync()
        return report

    def sync(
        self,
        *,
        allow_shrink: bool = False,
        full: bool = False,
        progress: Progress | None = None,
        only: Collection[str] | None = None,
    ) -> SyncReport:
        """Index everything that changed, words complete; meaning follows in the background.

        Args:
            allow_shrink: accept a plan that loses most of a source.
            full: read every file again, whatever its times say.
            progress: told how far each store is.
            only: names of the sources to index; None for all.
        """
        reports = []
        for opened in self.stores:
            wanted = [it for it in opened.sources if only is None or it.name in only]
            if wanted:
                reports.append(
                    sync(
                        opened.store,
                        wanted,
                        allow_shrink=allow_shrink,
                        full=full,
                        progress=progress,
                    )
                )
        report = together(reports)
        built = self.coverage()
        if built and built.built < built.total:
            self.background.wake()
        return report

    def finish_meaning(self, progress: Progress | None = None) -> None:
        """Embed everything that has no vector yet; does nothing without a model."""
        for opened in self.stores:
            if parts := opened.meaning:
                from pit_memory.operations.indexing.meaning import (
                    fill,  # NumPy: only who needs it pays
                )

                fill(opened.store, parts.cache, parts.embedder, parts.vectors, progress=progress)

    def evaluate(
        self,
        queries: Iterable[EvaluationQuery],
        *,
        limit: int,
        collection: str | None,
        mode: Mode | None,
    ) -> Iterator[EvaluationResult]:
        """Answer labelled questions through the search path.

        Without a collection the docs are asked; where there are none, the incidents.
        """
        if collection is None:
            only_incidents = not self._documents_in("docs") and self._documents_in("incidents")
            collection = "incidents" if only_incidents else "docs"
        if collection == FACTS:
            from pit_memory.operations.facts.evaluate_facts import evaluate_facts

            return evaluate_facts(self.open_facts(), queries, limit=limit, mode=mode)
        return evaluate(
            [opened.searched for opened in self.stores],
            queries,
            limit=limit,
            collection=collection,
            mode=mode,
            exclude=self.settings.search.exclude,
            boost=self.settings.search.boost,
        )

    def make_questions(self, limit: int) -> "list[LabelledQuestion]":
        """A question set from the project's own documents."""
        from pit_memory.operations.quality.make_questions import (
            make_questions,  # needs the linter's parts
        )

        return make_questions(self.store.catalogue, self.root, limit)

    def finish_facts(self, assignments: Collection[str], *, meaning: bool) -> None:
        """Complete the index of the facts of some assignments, and what they mean."""
        facts = self.open_facts()
        sources = [facts.source(name) for name in assignments]
        sync(facts.store, [it for it in sources if Path(it.root).is_dir()])
        if meaning and (parts := facts.meaning):
            from pit_memory.operations.indexing.meaning import fill  # NumPy: only who needs it pays

            fill(facts.store, parts.cache, parts.embedder, parts.vectors)

    def check_canary(self) -> CanaryReport:
        """Ask for the server's own document; the services were opened with it."""
        with_meaning = self.meaning is not None or bool(self.without_meaning)
        return check_canary(self.search, with_meaning=with_meaning)

    def gauges(self, canary: CanaryReport | None, fetched_at: float | None = None) -> Gauges:
        """Measure the index, see `operations.gauges`."""
        return gauges(self, canary, fetched_at)

    def coverage(self, only: Collection[str] | None = None) -> Coverage | None:
        """How far meaning is built in all stores, or of some sources; None without a model."""
        asked = [
            (opened, name)
            for opened in self.stores
            for name in ([None] if only is None else [it.name for it in opened.sources])
            if name is None or only is None or name in only
        ]
        built = [part for opened, name in asked if (part := opened.coverage(name))]
        return summed(built) if built else None

    def _with_settings(self, request: SearchRequest) -> SearchRequest:
        """What the settings leave out and put first, too; the path as filters have it."""
        ranking = self.settings.search
        return replace(
            self._below_a_root(request),
            exclude=(*request.exclude, *ranking.exclude),
            boost=(*request.boost, *ranking.boost),
        )

    def _below_a_root(self, request: SearchRequest) -> SearchRequest:
        """The request with a path below its source's root: agents name files by absolute ones."""
        path = (request.path or "").rstrip("/")
        if path == ".":
            return replace(request, path=None)
        if not path.startswith("/"):
            return request
        for source in sorted(self.sources, key=lambda it: -len(it.root)):
            if path == source.root:
                return replace(request, path=None, source=source.name or request.source)
            if below := inside(source.root, path):
                return replace(request, path=below, source=source.name or request.source)
        return request

    def begin(self, source: str) -> BegunSource:
        """Index the newest files of a source now, so that it answers, and the rest behind."""
        looked = self._looked(SearchRequest("", source=source))
        seen = self.looker.look(looked)
        self.background.wake()
        counts = (it.store.catalogue.counts(source) for it in looked if it.sources)
        return BegunSource(sum(it.documents for it in counts), seen.pending_files, seen.notes)

    def _looked(self, request: SearchRequest) -> list[LookedStore]:
        """The stores and sources that a question is about.

        Raises:
            UnknownCollectionError: the source it names is none of them.
        """
        found = [(opened.store, opened.look_for_sources()) for opened in self.stores]
        names = [source.name for _, sources in found for source in sources]
        if request.source is not None and request.source not in names:
            raise UnknownCollectionError(_no_source(request.source, names))
        return [
            LookedStore(store, tuple(it for it in sources if request.source in (None, it.name)))
            for store, sources in found
        ]

    def answer(self, request: SearchRequest, seen: LookReport) -> SearchAnswer:
        """Answer from the stores as they are, after a look, be it another process's."""
        ask = search_incidents if request.collection == "incidents" else search
        ask = find_quote if request.quotes else ask
        answer = ask(
            [opened.searched for opened in self.stores],
            request,
            pending_files=seen.pending_files,
            notes=tuple(dict.fromkeys((*self.notes, *seen.notes, *self._damage()))),
        )
        answer = replace(answer, keyword=behind_as_seen(answer.keyword, seen))
        catalogues = [opened.store.catalogue for opened in self.stores]
        return with_what_may_answer(answer, request, seen, catalogues, self.root)

    def _thinking(self, request: SearchRequest) -> AbstractContextManager[object]:
        """Have the question's vector made meanwhile, where it is wanted here and as it is asked."""
        if self.answering or request.quotes or request.collection == "incidents":
            return nullcontext()
        return thinking([opened.searched for opened in self.stores], request)

    def _answered(self, request: SearchRequest, seen: LookReport) -> SearchAnswer:
        """Answer here, or by the processes that do."""
        trouble = (self.background.trouble,) if self.background.trouble else ()
        seen = replace(seen, notes=(*seen.notes, *trouble, *self._damage()))
        here = partial(self.answer, request, seen)
        return self.answering(request, seen, here) if self.answering else here()

    def see(self) -> tuple[str, ...]:
        """Let answers come from what other processes have indexed by now; nothing is indexed.

        Returns:
            What was found damaged, one line each.

        Raises:
            StoreError, StorageFullError: a store can't be used now.
        """
        for opened in self.stores:
            opened.look_for_sources()
            opened.store.reopen_if_replaced()
            opened.store.keywords.see()
        return tuple(note for opened in self.stores for note in opened.store.notes())

    def _documents_in(self, collection: str) -> int:
        return sum(opened.store.catalogue.documents_in(collection) for opened in self.stores)

    def _damage(self) -> tuple[str, ...]:
        """What was found wrong in the person's vectors and set aside."""
        return self.meaning.cache.notes() if self.meaning else ()

    def _found_gaps(self, answer: SearchAnswer) -> bool:
        """Whether the semantic leg looked and some chunks have no vector yet."""
        if answer.semantic.state != "degraded":
            return False  # it ran, over all of them, or was not asked
        parts = [opened.meaning for opened in self.stores if opened.meaning]
        return any(part.vectors.coverage().share < 1 for part in parts)


def _today() -> str:
    return datetime.now(tz=UTC).astimezone().date().isoformat()


def _no_source(name: str, known: Collection[str]) -> str:
    near = nearest(name, filter(None, known))
    guess = f"did you mean {near}?" if near else "`pit-memory docs list` names them"
    return f"no source {safe_line(name)!r} is searched here; {guess}"
