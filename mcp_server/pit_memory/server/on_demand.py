"""The services of a project, opened when the first call needs them."""

import gc
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock
from typing import Protocol

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.facts.fact_answers import ChangeReceipt, RecallAnswer, StoreReceipt
from pit_memory.core.facts.facts import NewFact
from pit_memory.core.serving.access import Access
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.operations.canary import CanaryReport
from pit_memory.operations.gauges import Gauges
from pit_memory.operations.indexing.sync import SyncReport
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.server.tools import Services
from pit_memory.workspace.freed_memory import give_back_freed_memory


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


class _Opened:
    """Services that are open, and how many calls are at them."""

    def __init__(self, opening: AbstractContextManager[OpenedServices]) -> None:
        self._stack = ExitStack()
        self.services = self._stack.enter_context(opening)
        self.calls = 0

    def close(self) -> None:
        """Close them, and let go of what they hold, such as a model."""
        self._stack.close()
        vars(self).pop("services", None)
        gc.collect()  # objects that refer to each other; by itself it would be long in coming
        give_back_freed_memory()


class ServicesOnDemand:
    """Opens services at the first call, and after a failure anew: the user may have repaired it.

    Services that were opened before the model was installed, or the settings changed, are replaced,
    and closed as soon as no call is at them: each holds a model of its own.
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
        self._opened: _Opened | None = None
        self._without_model = False
        self._lock = Lock()

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Look, then answer by both legs."""
        with self._services() as services:
            return services.search(request)

    def read(
        self, ref: str, budget: int, audiences: tuple[str, ...], *, links: bool = False
    ) -> ReadAnswer:
        """Show what a citation names."""
        with self._services() as services:
            return services.read(ref, budget, audiences, links=links)

    def recall(self, access: Access, query: str, limit: int) -> RecallAnswer:
        """Answer a question with the facts of who asks."""
        with self._services() as services:
            return services.recall(access, query, limit)

    def store_fact(self, access: Access, new: NewFact) -> StoreReceipt:
        """Store one fact for who asks."""
        with self._services() as services:
            return services.store_fact(access, new)

    def retract_fact(self, access: Access, fact_id: str, reason: str) -> ChangeReceipt:
        """Take a fact of who asks back."""
        with self._services() as services:
            return services.retract_fact(access, fact_id, reason)

    def read_fact(self, access: Access, ref: str, budget: int) -> ReadAnswer:
        """Show a fact of who asks."""
        with self._services() as services:
            return services.read_fact(access, ref, budget)

    def write(self, request: WriteRequest) -> WriteReceipt:
        """Write one piece of knowledge to the home of its kind."""
        with self._services() as services:
            return self._writing(lambda: services.write(request))

    def check_canary(self) -> CanaryReport:
        """Ask for the server's own document."""
        with self._services() as services:
            return services.check_canary()

    def gauges(self, canary: CanaryReport | None, fetched_at: float | None) -> Gauges:
        """Measure the index."""
        with self._services() as services:
            return services.gauges(canary, fetched_at)

    def sync(self) -> SyncReport:
        """Index everything that changed."""
        with self._services() as services:
            return services.sync()

    def close(self) -> None:
        """Close what was opened."""
        if self._opened is not None:
            self._opened.close()

    @contextmanager
    def _services(self) -> Iterator[OpenedServices]:
        """The services as they are to be now, open as long as the block."""
        with self._lock:
            replaced = self._replaced()
            opened = self._opened
            if opened is None:
                raise AssertionError("nothing was opened")
            opened.calls += 1
        if replaced is not None:
            replaced.close()
        try:
            yield opened.services
        finally:
            with self._lock:
                opened.calls -= 1
                is_left = not opened.calls and opened is not self._opened
            if is_left:
                opened.close()

    def _replaced(self) -> _Opened | None:
        """Open services where there are none yet, or others; those to close, which nobody uses."""
        arrived = self._without_model and not self._model_is_pending()
        stamp = self._settings_stamp()
        before = self._opened
        if before is not None and not arrived and stamp == self._stamp:
            return None
        without_model = self._model_is_pending()
        self._opened = _Opened(self._opening())  # where it fails, the next call tries again
        self._stamp, self._without_model = stamp, without_model
        return None if before is None or before.calls else before
