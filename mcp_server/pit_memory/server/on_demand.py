"""The services of a project, opened when the first call needs them."""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, ExitStack
from threading import Lock
from typing import Protocol

from pit_memory.core.access import Access
from pit_memory.core.answers import SearchAnswer
from pit_memory.core.fact_answers import ChangeReceipt, RecallAnswer, StoreReceipt
from pit_memory.core.facts import NewFact
from pit_memory.core.read_answers import ReadAnswer
from pit_memory.core.receipts import WriteReceipt
from pit_memory.core.write_request import WriteRequest
from pit_memory.operations.canary import CanaryReport
from pit_memory.operations.gauges import Gauges
from pit_memory.operations.search import SearchRequest
from pit_memory.operations.sync import SyncReport
from pit_memory.server.tools import Services


class WatchedServices(Protocol):
    """What is asked of the services; both may raise PitMemoryError."""

    def check_canary(self) -> CanaryReport:
        """Ask for the server's own document on the real read path."""

    def gauges(self, canary: CanaryReport | None, fetched_at: float | None) -> Gauges:
        """Measure the index."""


class OpenedServices(Services, WatchedServices, Protocol):
    """What is opened: it answers, and it can be watched and kept fresh."""

    def sync(self) -> SyncReport:
        """Index everything that changed."""


class ServicesOnDemand:
    """Opens services at the first call, and after a failure anew: the user may have repaired it.

    Services that were opened before the model was installed, or the settings changed, are replaced.
    """

    def __init__(
        self,
        opening: Callable[[], AbstractContextManager[OpenedServices]],
        model_is_pending: Callable[[], bool],
        settings_stamp: Callable[[], Hashable] = lambda: None,
        writing: Callable[[Callable[[], WriteReceipt]], WriteReceipt] = lambda write: write(),
    ) -> None:
        """Take what makes the services; nothing is opened yet.

        Args:
            opening: opens them.
            model_is_pending: tells whether the model is still being installed.
            settings_stamp: another value where the settings were changed: `docs add` in a running
                session holds for its next question.
            writing: does a write; a server has it pushed.
        """
        self._opening = opening
        self._model_is_pending = model_is_pending
        self._settings_stamp = settings_stamp
        self._writing = writing
        self._stamp: Hashable = None
        self._opened: OpenedServices | None = None
        self._without_model = False
        self._stack = ExitStack()
        self._lock = Lock()

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Look, then answer by both legs."""
        return self._services().search(request)

    def read(
        self, ref: str, budget: int, audiences: tuple[str, ...], *, links: bool = False
    ) -> ReadAnswer:
        """Show what a citation names."""
        return self._services().read(ref, budget, audiences, links=links)

    def recall(self, access: Access, query: str, limit: int) -> RecallAnswer:
        """Answer a question with the facts of who asks."""
        return self._services().recall(access, query, limit)

    def store_fact(self, access: Access, new: NewFact) -> StoreReceipt:
        """Store one fact for who asks."""
        return self._services().store_fact(access, new)

    def retract_fact(self, access: Access, fact_id: str, reason: str) -> ChangeReceipt:
        """Take a fact of who asks back."""
        return self._services().retract_fact(access, fact_id, reason)

    def read_fact(self, access: Access, ref: str, budget: int) -> ReadAnswer:
        """Show a fact of who asks."""
        return self._services().read_fact(access, ref, budget)

    def write(self, request: WriteRequest) -> WriteReceipt:
        """Write one piece of knowledge to the home of its kind."""
        services = self._services()
        return self._writing(lambda: services.write(request))

    def check_canary(self) -> CanaryReport:
        """Ask for the server's own document."""
        return self._services().check_canary()

    def gauges(self, canary: CanaryReport | None, fetched_at: float | None) -> Gauges:
        """Measure the index."""
        return self._services().gauges(canary, fetched_at)

    def sync(self) -> SyncReport:
        """Index everything that changed."""
        return self._services().sync()

    def close(self) -> None:
        """Close what was opened."""
        self._stack.close()

    def _services(self) -> OpenedServices:
        with self._lock:
            arrived = self._without_model and not self._model_is_pending()
            stamp = self._settings_stamp()
            if self._opened is None or arrived or stamp != self._stamp:
                self._stamp = stamp
                self._without_model = self._model_is_pending()
                # Calls in other threads may go on with the old ones: all are closed at the end.
                self._opened = self._stack.enter_context(self._opening())
            return self._opened
