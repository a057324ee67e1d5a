"""The routes for those who watch a server: is it alive, can it answer, what has it counted."""

import asyncio
import time
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from pit_memory import __version__
from pit_memory.errors import PitMemoryError
from pit_memory.operations.canary import CanaryReport
from pit_memory.operations.meter import Meter
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.server.exposition import CONTENT_TYPE, exposition
from pit_memory.server.on_demand import WatchedServices

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from starlette.requests import Request

    from pit_memory.core.serving.metrics import Labels

_CANARY_SECONDS = 5.0
"""The outcome of a check is good for so long, however many ask."""


class Watching:
    """Answers the routes; a check of the canary is shared by all who ask within a few seconds."""

    def __init__(
        self,
        services: WatchedServices,
        meter: Meter,
        freshness: Freshness,
        search_processes: Callable[[], int] = lambda: 0,
        clock: Callable[[], float] = time.monotonic,
        told: Callable[[str], str] = str,
    ) -> None:
        self._services = services
        self._meter = meter
        self._freshness = freshness
        self._search_processes = search_processes
        self._clock = clock
        self._told = told
        self._checked: tuple[float, CanaryReport] | None = None
        self._checking = Lock()

    def add_routes(self, server: "FastMCP") -> None:
        """Make the routes part of a server."""
        server.custom_route("/health/live", ["GET"])(self.live)
        server.custom_route("/health/ready", ["GET"])(self.ready)
        server.custom_route("/metrics", ["GET"])(self.metrics)

    async def live(self, request: "Request") -> Response:  # noqa: ARG002 -- a route takes it
        """The process answers."""
        return JSONResponse({"alive": True, "version": __version__})

    async def ready(self, request: "Request") -> Response:  # noqa: ARG002 -- a route takes it
        """Questions can be answered: 200, else 503, each with what was found of the canary."""
        try:
            report = await asyncio.to_thread(self._canary)
        except PitMemoryError as error:
            return JSONResponse({"ready": False, "reasons": [self._told(str(error))]}, 503)
        body = {
            "ready": report.is_ready,
            "words": report.words,
            "meaning": report.meaning,
            "filters": report.filters,
            "reasons": [*map(self._told, report.reasons)],
        }
        return JSONResponse(body, 200 if report.is_ready else 503)

    async def metrics(self, request: "Request") -> Response:  # noqa: ARG002 -- a route takes it
        """Counters and gauges for Prometheus."""
        return Response(await asyncio.to_thread(self._metrics), media_type=CONTENT_TYPE)

    def _metrics(self) -> bytes:
        try:
            gauges = self._services.gauges(self._canary(), self._freshness.fetched_at)
        except PitMemoryError:
            gauges = {("pit_memory_canary", ("words",)): 0.0}  # a broken index is no lost scrape
        of_server: dict[tuple[str, Labels], float] = {
            ("pit_memory_fetch_failing", ()): float(bool(self._freshness.trouble)),
            ("pit_memory_search_processes", ()): float(self._search_processes()),
        }
        return exposition(self._meter, {**gauges, **of_server})

    def _canary(self) -> CanaryReport:
        with self._checking:
            now = self._clock()
            if self._checked is None or now - self._checked[0] > _CANARY_SECONDS:
                self._checked = now, self._services.check_canary()
            return self._checked[1]
