"""The process that answers searches for a server: reads what was asked, writes the answer.

It finds and reads, and does nothing else: looks, writes, counts and work in the background are the
server's. It ends when the server does, however that ended.
"""

import gc
import logging
import os
import pickle
import select
import signal
import socket
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread

from pit_memory import __version__
from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.errors import PitMemoryError
from pit_memory.operations.indexing.look import LookReport
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.services import Services
from pit_memory.server.request_log import REQUEST_ID, log_as_json
from pit_memory.wiring import open_services
from pit_memory.workspace.freed_memory import give_back_freed_memory

_COLLECTED_AFTER = 50_000
"""New objects, as in the server."""
_FIRST_QUESTION = "how is this configured"
"""Asked before those of users: the model and what is remembered of the index are loaded."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the server asks."""

    opening: int
    """Number of the services of the server that ask: a larger one means other settings."""
    request: SearchRequest
    seen: LookReport
    request_id: str


@dataclass(frozen=True, slots=True)
class CannotOpen:
    """In place of an answer: why the project can't be opened here."""

    reason: str


Reply = SearchAnswer | CannotOpen | Exception
"""The answer, or the exception that a search raised."""


def serve(root: str, opening: int, channel: int) -> None:
    """Answer questions until the server is gone.

    Args:
        root: the project.
        opening: number of the services that the server has now.
        channel: file descriptor of a socket to the server.
    """
    for number in (signal.SIGTERM, signal.SIGINT):  # the server is asked to end, too, and says when
        signal.signal(number, lambda *_: None)
    Thread(target=_end_with, args=(channel,), daemon=True).start()
    log_as_json(logging.WARNING)
    gc.set_threshold(_COLLECTED_AFTER, *gc.get_threshold()[1:])
    with socket.socket(fileno=channel) as server, _Project(Path(root)) as project:
        project.warm_up(opening)
        server.sendall(pickle.dumps(__version__))
        for question in _questions(server):
            server.sendall(_pickled(project.reply(question)))


def _end_with(channel: int) -> None:
    """End this process at once when the server's end of a socket is closed."""
    gone = select.poll()
    gone.register(channel, 0)  # that it is gone is told unasked
    gone.poll()
    os._exit(0)


def _questions(server: socket.socket) -> Iterator[Question]:
    with server.makefile("rb") as asked, suppress(EOFError, OSError):
        while True:
            yield pickle.load(asked)  # noqa: S301 -- our own parent wrote it


def _pickled(reply: Reply) -> bytes:
    if not isinstance(reply, Exception):
        return pickle.dumps(reply, pickle.HIGHEST_PROTOCOL)
    try:
        pickled = pickle.dumps(reply)
        pickle.loads(pickled)  # noqa: S301 -- some can't be made again
    except Exception:  # noqa: BLE001 -- whatever their class does then
        said = "".join(traceback.format_exception(reply))
        return pickle.dumps(RuntimeError(said))
    return pickled


class _Project:
    """The services of a project, opened anew where the server's are."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._opening = -1
        self._stack = ExitStack()
        self._services: Services | None = None

    def __enter__(self) -> "_Project":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        gc.unfreeze()

    def warm_up(self, opening: int) -> None:
        """Load what the first question would wait for."""
        with suppress(PitMemoryError):  # the first question meets it again, and says it
            self._opened(opening)

    def reply(self, question: Question) -> Reply:
        """Answer one question."""
        REQUEST_ID.set(question.request_id)
        try:
            services = self._opened(question.opening)
        except PitMemoryError as error:
            return CannotOpen(str(error))
        try:
            seen = question.seen
            seen = replace(seen, notes=(*seen.notes, *services.see()))
            return services.answer(question.request, seen)
        except PitMemoryError as error:
            return error
        except Exception as error:  # noqa: BLE001 -- the server raises it, where all are told
            error.add_note(f"In a process that searches:\n{traceback.format_exc()}")
            return error

    def _opened(self, opening: int) -> Services:
        if self._services is None or opening > self._opening:
            self._services = None
            self._stack.close()
            gc.unfreeze()
            gc.collect()  # the model of the old ones
            give_back_freed_memory()
            services = self._stack.enter_context(
                open_services(self._root, background="none", shared=True, canary=True)
            )
            with suppress(PitMemoryError):  # the first of a user meets it again, and says it
                services.answer(SearchRequest(_FIRST_QUESTION), LookReport(0, 0, ()))
            gc.collect()
            gc.freeze()
            self._services, self._opening = services, opening
        return self._services
