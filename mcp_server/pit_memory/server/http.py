"""Serve the tools over HTTP: to a team, behind tokens."""

import ipaddress
import signal
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fastmcp.server.dependencies import get_http_request

from pit_memory.core.serving.access import Access
from pit_memory.core.settings.server_settings import AuthSettings, ServerSettings
from pit_memory.errors import SettingsError, UsageError
from pit_memory.operations.meter import Meter
from pit_memory.server.authentication import Authenticator, jwt_verifier
from pit_memory.server.gate import ACCESS, TOOLS_ROUTE, Gate, GateRules
from pit_memory.workspace.files import reason
from pit_memory.workspace.token_file import TokenFile

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from starlette.types import ASGIApp

_STOP_SECONDS = 10
"""Answers under way get so long when the server is asked to end."""
_BACKLOG = 1_024
"""Connections that may wait to be taken: a fleet of agents starts at the same moment."""


@dataclass(frozen=True, slots=True)
class HttpPlace:
    """Where a server listens and how."""

    host: str
    port: int
    certfile: str = ""
    keyfile: str = ""

    @property
    def url(self) -> str:
        """Of the tools."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.certfile else ''}://{host}:{self.port}{TOOLS_ROUTE}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def access_of_request() -> Access:
    """What the connection of this call may see and do; the gate has put it there."""
    access: Access = get_http_request().scope[ACCESS]
    return access


def authenticator(auth: AuthSettings, tokens: TokenFile, place: HttpPlace) -> Authenticator | None:
    """What tells whose a token is; None where nobody needs one.

    Raises:
        UsageError: others can reach the place, and nothing says who they are.
        SettingsError: the tokens or the key of signed ones can't be read.
    """
    if auth.jwt is None and not tokens.tokens():
        if place.is_loopback:
            return None
        message = (
            f"{place.host} can be reached from other machines, and there is no token yet: make one "
            "(`pit-memory token add NAME`) or set auth.jwt; or listen on 127.0.0.1"
        )
        raise UsageError(message)
    return Authenticator(tokens, (auth.jwt, jwt_verifier(auth.jwt)) if auth.jwt else None)


def http_application(
    server: "FastMCP",
    settings: ServerSettings,
    who: Authenticator | None,
    meter: Meter,
) -> "ASGIApp":
    """The whole server as one ASGI application.

    Each request stands for itself: there is no session to lose when a replica ends.
    """
    app = server.http_app(
        path=TOOLS_ROUTE,
        stateless_http=True,
        json_response=True,
        host_origin_protection=True,
        allowed_hosts=list(settings.allowed_hosts),
        allowed_origins=list(settings.allowed_origins),
    )
    rules = GateRules(
        requests_a_minute=settings.requests_a_minute,
        assignment_requests_a_minute=settings.assignment_requests_a_minute,
        max_request_bytes=settings.max_request_bytes,
        metrics_token=settings.metrics_token,
    )
    return Gate(app, who, rules, meter)


def listen(place: HttpPlace) -> socket.socket:
    """Take the port.

    Raises:
        SettingsError: it is in use, or the address is not of this machine.
    """
    try:
        found = socket.getaddrinfo(
            place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        with ExitStack() as unless_it_listens:
            listening = socket.socket(family, kind, protocol)
            unless_it_listens.callback(listening.close)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
            unless_it_listens.pop_all()
    except OSError as error:
        message = (
            f"can't listen on {place.host}:{place.port}: {reason(error)}; choose another with "
            "--host and --port, or end what uses it"
        )
        raise SettingsError(message) from error
    return listening


def check_tls(place: HttpPlace) -> None:
    """See that certificate and key can be read and belong together.

    Raises:
        SettingsError: they can't or don't.
    """
    if not place.certfile and not place.keyfile:
        return
    import ssl

    if not place.certfile:
        message = "--keyfile needs --certfile beside it"
        raise SettingsError(message)
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place.certfile, place.keyfile or None)
    except OSError as error:  # of which ssl.SSLError is one
        why = reason(error) if error.errno else str(error)
        message = f"can't use the certificate {place.certfile} with its key: {why}"
        raise SettingsError(message) from error


def run(
    app: "ASGIApp", place: HttpPlace, sockets: Sequence[socket.socket], max_connections: int
) -> None:
    """Serve until the process is asked to end (SIGTERM, SIGINT)."""
    import uvicorn

    from pit_memory.server.patience import PatientProtocol

    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        ws="none",
        limit_concurrency=max_connections,
        timeout_graceful_shutdown=_STOP_SECONDS,
        ssl_certfile=Path(place.certfile) if place.certfile else None,
        ssl_keyfile=Path(place.keyfile) if place.keyfile else None,
    )
    # Uvicorn ends in order, then sends itself the signal once more for whoever handled it before.
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    with suppress(_EndedError):
        uvicorn.Server(config).run(sockets=list(sockets))


class _EndedError(Exception):
    """The process was asked to end."""


def _end(number: int, frame: object) -> None:  # noqa: ARG001 -- what a handler takes
    raise _EndedError
