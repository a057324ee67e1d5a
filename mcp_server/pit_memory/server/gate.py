"""What every request over HTTP passes first: its size, its token, its limits, its line in the log.

Nothing behind it is reached without a token but the routes that are named here.
"""

import asyncio
import ipaddress
import json
import math
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pit_memory.core.serving.access import LOCAL, Access
from pit_memory.core.serving.rate_limits import Buckets, permit
from pit_memory.errors import SettingsError
from pit_memory.operations.meter import Meter
from pit_memory.server.authentication import Authenticator, RejectedError
from pit_memory.server.request_log import REQUEST_ID, event, log

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS = "pit_memory.access"
"""Key of the ASGI scope that holds the `Access` of a request."""
SIGNED_ROUTES = frozenset({"/hooks/push"})
"""Their handlers check a signature over the body instead of a token."""
WATCHED_ROUTES = frozenset({"/health/live", "/health/ready", "/metrics"})
"""For this machine, for the metrics token, and for every reader."""
TOOLS_ROUTE = "/mcp"
_NAMED_ROUTES = SIGNED_ROUTES | WATCHED_ROUTES | {TOOLS_ROUTE}
_BODY_SECONDS = 30.0
"""A client that sends its request more slowly is not waited for."""
_FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_JSON = (b"content-type", b"application/json")


@dataclass(frozen=True, slots=True)
class GateRules:
    """What the gate lets through."""

    requests_a_minute: int
    assignment_requests_a_minute: int
    max_request_bytes: int
    metrics_token: str = ""


class Gate:
    """An ASGI application in front of another one."""

    def __init__(
        self,
        app: "ASGIApp",
        authenticator: Authenticator | None,
        rules: GateRules,
        meter: Meter,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what is behind the gate.

        Args:
            app: gets what passes, with an `Access` in its scope.
            authenticator: None where everybody on this machine may ask, and nobody else can.
            rules: sizes and rates.
            meter: counts.
            clock: seconds from any start.
        """
        self._app = app
        self._authenticator = authenticator
        self._rules = rules
        self._meter = meter
        self._clock = clock
        self._by_name = Buckets(rules.requests_a_minute)
        self._by_assignment = Buckets(rules.assignment_requests_a_minute)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass one request on, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        headers = dict(scope["headers"])
        request_id = _request_id(headers)
        REQUEST_ID.set(request_id)
        answer = _Answer(send, request_id)
        began = time.perf_counter()
        access: Access | None = None
        try:
            access = await self._pass(scope, headers, receive, answer)
        except RejectedError as error:
            self._meter.count("pit_memory_token_rejections_total", error.reason)
            # Without a token there is no error to speak of (RFC 6750, 3.1).
            challenge = "" if error.reason == "missing" else ' error="invalid_token"'
            await answer.refuse(401, str(error), {"www-authenticate": f"Bearer{challenge}"})
        except _RefusedError as error:
            self._meter.count("pit_memory_limited_requests_total", error.limit)
            await answer.refuse(error.status, str(error), error.headers)
        except SettingsError as error:
            log.error("nobody is let in", extra={"fields": {"reason": str(error)}})
            await answer.refuse(503, "the server can't read its tokens; its log says why")
        route = scope["path"] if scope["path"] in _NAMED_ROUTES else "other"
        self._meter.count("pit_memory_requests_total", route, str(answer.status))
        event(
            "request",
            method=scope["method"],
            route=route,
            status=answer.status,
            ms=round((time.perf_counter() - began) * 1000),
            token=access.name if access else None,
            refused=answer.refused or None,
        )

    async def _pass(
        self,
        scope: "Scope",
        headers: Mapping[bytes, bytes],
        receive: "Receive",
        answer: "_Answer",
    ) -> Access | None:
        access = await self._access(scope, headers)
        if access is not None:
            self._take_permit(access)
        body = await _whole_body(headers, receive, self._rules.max_request_bytes)
        scope[ACCESS] = access or _NOBODY
        await self._app(scope, _replayed(body, receive), answer.send)
        return access

    async def _access(self, scope: "Scope", headers: Mapping[bytes, bytes]) -> Access | None:
        """What a request may see and do; None for a route that needs no token."""
        path = scope["path"]
        if path in SIGNED_ROUTES:
            return None
        authorization = headers.get(b"authorization", b"").decode("latin-1")
        if path in WATCHED_ROUTES and (
            _is_from_here(scope, headers) or self._is_metrics_token(authorization)
        ):
            return None
        if self._authenticator is not None:
            return await self._authenticator.access(authorization)
        if not _is_from_here(scope, headers):
            raise RejectedError(
                "missing", "this server has no tokens, so it answers its own machine alone"
            )
        return LOCAL

    def _is_metrics_token(self, authorization: str) -> bool:
        expected = self._rules.metrics_token
        given = authorization.encode("latin-1")
        return bool(expected) and secrets.compare_digest(f"Bearer {expected}".encode(), given)

    def _take_permit(self, access: Access) -> None:
        limits = [(self._by_name, access.name)]
        if access.assignment is not None:
            limits.append((self._by_assignment, access.assignment))
        refused = permit(limits, self._clock())
        if refused is None:
            return
        place, wait = refused
        limit = ("token", "assignment")[place]
        seconds = math.ceil(wait)
        raise _RefusedError(
            429,
            limit,
            f"too many requests of this {limit}; try again in {seconds} s",
            {"retry-after": str(seconds)},
        )


_NOBODY = Access("nobody", audiences=("customer",), may_write=False)
"""In the scope of routes that need no token; they ask nothing for anybody."""


class _RefusedError(Exception):
    """A request that is too large, too slow or one too many."""

    def __init__(
        self, status: int, limit: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.limit = limit
        self.headers = headers or {}


class _Answer:
    """The answer to one request: bears its id, and its status is remembered."""

    def __init__(self, send: "Send", request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status = 0
        self.refused = ""
        """Why; empty where it was not."""

    async def send(self, message: "Message") -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [(b"x-request-id", self._request_id.encode()), (b"cache-control", b"no-store")]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        await self._send(message)

    async def refuse(
        self, status: int, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer with an error, as JSON."""
        self.refused = message
        body = json.dumps({"error": message, "request_id": self._request_id}).encode()
        own = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
        length = (b"content-length", str(len(body)).encode())
        start: dict[str, Any] = {"status": status, "headers": [_JSON, length, *own]}
        await self.send({"type": "http.response.start", **start})
        await self.send({"type": "http.response.body", "body": body})


async def _whole_body(headers: Mapping[bytes, bytes], receive: "Receive", limit: int) -> bytes:
    """The body of a request, as far as it is small enough and comes in time."""
    announced = headers.get(b"content-length", b"0")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    break
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > limit:
                    raise _too_large(limit)
                if not message.get("more_body"):
                    break
    except TimeoutError:
        why = f"the request did not arrive within {_BODY_SECONDS:g} s"
        raise _RefusedError(408, "size", why) from None
    return b"".join(parts)


def _too_large(limit: int) -> _RefusedError:
    return _RefusedError(413, "size", f"the request is larger than {limit:,} bytes")


def _replayed(body: bytes, receive: "Receive") -> "Receive":
    """Hands out a body that was read, then what else comes."""
    sent = False

    async def replay() -> "Message":
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _request_id(headers: Mapping[bytes, bytes]) -> str:
    """The caller's own where it is short and plain, else a new one."""
    given = headers.get(b"x-request-id", b"").decode("latin-1")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _is_from_here(scope: "Scope", headers: Mapping[bytes, bytes]) -> bool:
    """Whether the request comes from this machine itself, not through a proxy on it."""
    client = scope.get("client")
    if not client or not _FORWARDED.isdisjoint(headers):
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
