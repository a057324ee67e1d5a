"""`POST /hooks/push`: a forge says that documents have changed."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from pit_memory.core.serving.push_events import Push, RefusedPushError, checked_push, is_for_us
from pit_memory.operations.meter import Meter
from pit_memory.server.request_log import event

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from starlette.requests import Request

ROUTE = "/hooks/push"
REPLAY_SECONDS = 3_600.0
"""The same signed body counts once within this time."""
_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class HookRules:
    """Whose pushes count."""

    secret: str
    repositories: tuple[str, ...]
    branches: tuple[str, ...]


class PushHook:
    """Answers the route at once; the work is done behind, once for many pushes."""

    def __init__(
        self,
        rules: HookRules,
        wake: Callable[[], None],
        meter: Meter,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rules = rules
        self._wake = wake
        self._meter = meter
        self._clock = clock
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._remembering = Lock()

    def add_route(self, server: "FastMCP") -> None:
        """Make the route part of a server."""
        server.custom_route(ROUTE, ["POST"])(self.push)

    async def push(self, request: "Request") -> Response:
        """Take up a push."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            push = self._accepted(headers, await request.body())
        except RefusedPushError as error:
            self._meter.count("pit_memory_pushes_total", "refused")
            return JSONResponse({"error": str(error)}, error.status)
        outcome = "ignored" if push is None else "accepted"
        self._meter.count("pit_memory_pushes_total", outcome)
        if push is not None:
            event("push", repository=push.repository, branch=push.branch, commit=push.commit)
            self._wake()
        return JSONResponse({"outcome": outcome}, 202)

    def _accepted(self, headers: dict[str, str], body: bytes) -> Push | None:
        """The push, where there is something to fetch for it.

        Raises:
            RefusedPushError: it is not signed, not ours, or was here already.
        """
        if not self._rules.secret:
            raise RefusedPushError(401, "no secret is set up for pushes")
        push = checked_push(headers, body, self._rules.secret)
        if push is None or not is_for_us(push, self._rules.repositories, self._rules.branches):
            return None
        with self._remembering:
            now = self._clock()
            while self._seen and (
                len(self._seen) >= _REMEMBERED
                or now - next(iter(self._seen.values())) > REPLAY_SECONDS
            ):
                self._seen.popitem(last=False)
            if push.identity in self._seen:
                raise RefusedPushError(409, "this very push was here already")
            self._seen[push.identity] = now
        return push
