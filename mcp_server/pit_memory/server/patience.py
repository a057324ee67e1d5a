"""Connections that take a place and ask nothing are closed: there is a limited number of places."""

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

REQUEST_SECONDS: Final = 30.0
"""The head of a request arrives within this time, or within twice of it after another request."""


class PatientProtocol(H11Protocol):
    """Uvicorn's protocol with an end to its patience.

    Its own time limit is for silence after an answer alone: a client that sends nothing at all, or
    half a head, would be waited for without end.
    """

    seconds = REQUEST_SECONDS

    _last: object = None
    """The request that had been answered at the last look; None before the first one."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self.loop.call_later(self.seconds, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        request: RequestResponseCycle | None = self.cycle
        is_idle = request is None or request.response_complete
        if is_idle and self._last is request:
            self.transport.close()
            return
        self._last = request if is_idle else self
        self.loop.call_later(self.seconds, self._look)
