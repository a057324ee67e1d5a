"""The processes that answer searches for a server: Python runs one thread at a time."""

import logging
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any

from pit_memory import __version__
from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.settings.server_settings import ServerSettings
from pit_memory.operations.indexing.look import LookReport
from pit_memory.operations.meter import Meter
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.services import Answering
from pit_memory.server.request_log import REQUEST_ID
from pit_memory.server.search_child import CannotOpen, Question, Reply
from pit_memory.workspace.machine import cores, memory_bytes

MOST_BY_ITSELF = 4
"""Processes that a server starts unasked: HTTP and protocol of one keep no more than these busy."""
PROCESS_BYTES = 500_000_000
"""Memory that the machine has for each of those: each holds the model, and the server is there."""
_START_SECONDS = 60.0
"""For a process to be ready, on a busy machine."""
_ANSWER_SECONDS = 30.0
"""For one answer; a process that takes longer is ended."""
_WAIT_SECONDS = 3.0
"""A search waits so long for a process that is free, then it is answered in the server."""
_TRIES = 2
"""Processes that a search is given to, before it is answered in the server."""
_PAUSES = (0.0, 1.0, 5.0, 30.0)
"""Seconds before the next process, by how many in a row have ended within a minute."""
_SHORT_SECONDS = 60.0
_END_SECONDS = 2.0
_UNREADABLE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError)
"""What unpickling raises for an answer that is cut off or of other code."""
_START = (
    "import sys; sys.path[:] = {path!r}; from pit_memory.server.search_child import serve; "
    "serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))"
)

log = logging.getLogger(__name__)


def process_count(settings: ServerSettings) -> int:
    """How many processes answer searches; 0 where the server does it itself."""
    wanted = settings.processes or min(cores(), MOST_BY_ITSELF, memory_bytes() // PROCESS_BYTES)
    return wanted if wanted > 1 else 0


class SearchProcesses:
    """Processes of one server; safe to use from several threads.

    A process that ends is replaced. What it was asked is asked of another one, then of the server
    itself: no search is lost, and no answer is older than the look that came before it.
    """

    def __init__(self, root: Path, count: int, meter: Meter) -> None:
        """Name the project; no process is started yet.

        Args:
            root: the project.
            count: of the processes.
            meter: counts those that end.
        """
        self._root = root
        self.count = count
        """How many there should be."""
        self._meter = meter
        self._changing = Condition()
        self._opening = 0
        self._beginning = True
        """Until the first process is ready, or can't be had: searches wait for it."""
        self._ending = False
        self._running: set[_Process] = set()
        self._ready: set[_Process] = set()
        self._free: list[_Process] = []
        """Those of the ready ones that have nothing to do; the last one has the warmest caches."""
        self._keepers: list[Thread] = []

    @property
    def ready(self) -> int:
        """How many answer now."""
        return len(self._ready)

    def for_new_services(self) -> Answering | None:
        """What answers for services that are opened now: processes that open theirs anew.

        None where no process answers.
        """
        if not self.count:
            return None
        with self._changing:
            self._opening += 1
            if not self._keepers:
                self._keepers = [
                    Thread(target=self._keep, name="search process", daemon=True)
                    for _ in range(self.count)
                ]
                for keeper in self._keepers:
                    keeper.start()
            return partial(self._answer, self._opening)

    def close(self) -> None:
        """End the processes."""
        with self._changing:
            self._ending = True
            self._free.clear()
            self._changing.notify_all()
            running = [*self._running]
        for process in running:
            process.hang_up()
        until = time.monotonic() + _END_SECONDS
        for keeper in self._keepers:
            keeper.join(max(0.0, until - time.monotonic()))
        for process in running:
            process.kill()
        for keeper in self._keepers:
            keeper.join()

    # ---- asking ------------------------------------------------------------------------------

    def _answer(
        self,
        opening: int,
        request: SearchRequest,
        seen: LookReport,
        here: Callable[[], SearchAnswer],
    ) -> SearchAnswer:
        question = Question(opening, request, seen, REQUEST_ID.get())
        for _ in range(_TRIES):
            process = self._take()
            if process is None:
                break
            try:
                reply = process.ask(question)
            except ProcessEndedError:
                continue
            self._give_back(process)
            if isinstance(reply, Exception):
                raise reply
            if isinstance(reply, CannotOpen):
                log.warning("a search process can't open the project: %s", reply.reason)
                break
            return reply
        return here()

    def _take(self) -> "_Process | None":
        """A process that is free; None where there is none in time."""
        with self._changing:
            seconds = _START_SECONDS if self._beginning else _WAIT_SECONDS
            self._changing.wait_for(
                lambda: self._free or not (self._ready or self._beginning) or self._ending, seconds
            )
            return self._free.pop() if self._free else None

    def _give_back(self, process: "_Process") -> None:
        with self._changing:
            if process in self._ready:
                self._free.append(process)
                self._changing.notify()

    # ---- keeping -----------------------------------------------------------------------------

    def _keep(self) -> None:
        """Keep one process running until the end."""
        short_lived = 0
        while not self._ending:
            began = time.monotonic()
            try:
                status = self._watch(self._started())
            except OSError as error:
                status = str(error)
            if self._ending:
                return
            short_lived = short_lived + 1 if time.monotonic() - began < _SHORT_SECONDS else 0
            self._meter.count("pit_memory_search_process_ends_total")
            log.warning("a search process ended", extra={"fields": {"status": status}})
            with self._changing:
                self._beginning = False
                self._changing.notify_all()
                pause = _PAUSES[min(short_lived, len(_PAUSES) - 1)]
                self._changing.wait_for(lambda: self._ending, pause)

    def _started(self) -> "_Process":
        process = _Process(self._root, self._opening)
        with self._changing:
            self._running.add(process)
            if self._ending:
                process.hang_up()
        return process

    def _watch(self, process: "_Process") -> str:
        """Offer a process until it ends; returns how it did."""
        if process.wait_until_ready():
            with self._changing:
                if not self._ending:
                    self._beginning = False
                    self._ready.add(process)
                    self._free.append(process)
                    self._changing.notify_all()
        status = process.wait()
        with self._changing:
            self._running.discard(process)
            self._ready.discard(process)
            with suppress(ValueError):
                self._free.remove(process)
            self._changing.notify_all()
        return status


class ProcessEndedError(Exception):
    """A process ended before it had answered, or was ended as it took too long."""


class _Process:
    """One process; asked by one thread at a time."""

    def __init__(self, root: Path, opening: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._child = subprocess.Popen(
                    # The interpreter's own search path: the environment may hold other names.
                    [
                        *(sys.executable, "-I", "-c", _START.format(path=sys.path)),
                        *(str(root), str(opening), str(theirs.fileno())),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    process_group=0,  # what a terminal sends is for the server
                )
            except OSError:
                ours.close()
                raise
        self._socket = ours
        self._replies = ours.makefile("rb")
        self._asking = Lock()
        self._why = ""

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    def wait_until_ready(self) -> bool:
        """Tell whether it is ready to be asked; else it has ended, or is ended."""
        try:
            version: str = self._received(None, _START_SECONDS)
        except ProcessEndedError:
            return False
        if version != __version__:  # the package was replaced while the server runs
            self._why = f"it is pit-memory {version}, the server {__version__}: start it again"
            self.kill()
        return version == __version__

    def ask(self, question: Question) -> Reply:
        """What it answers.

        Raises:
            ProcessEndedError: it has ended, or is ended as it takes too long.
        """
        said = pickle.dumps(question, pickle.HIGHEST_PROTOCOL)
        reply: Reply = self._received(said, _ANSWER_SECONDS)
        return reply

    def _received(self, said: bytes | None, seconds: float) -> Any:  # noqa: ANN401 -- see Reply
        is_whole = False
        with self._asking:
            try:
                self._socket.settimeout(seconds)
                if said is not None:
                    self._socket.sendall(said)
                reply = pickle.load(self._replies)  # noqa: S301 -- our own child wrote it
                is_whole = True
            except TimeoutError as error:
                self._why = f"no answer in {seconds:g} s"
                self.kill()
                raise ProcessEndedError from error
            except (OSError, ValueError, *_UNREADABLE) as error:
                raise ProcessEndedError from error
            finally:
                if not is_whole:
                    self._end()
        return reply

    def _end(self) -> None:
        """Make sure that it has ended; by itself where it can, as how it did is worth knowing."""
        self.hang_up()
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(_END_SECONDS)
        self.kill()

    def hang_up(self) -> None:
        """Let it end: it does when nobody asks any more."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def kill(self) -> None:
        """End it at once."""
        self._child.kill()

    def wait(self) -> str:
        """Wait until it has ended, and say how."""
        status = self._child.wait()
        with self._asking:  # whoever asks sees that it has ended
            self._replies.close()
            self._socket.close()
        if self._why:
            return self._why
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"
