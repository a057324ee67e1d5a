"""The tables of the server over HTTP: how it listens, who may use it, how it stays fresh."""

from dataclasses import dataclass

from pit_memory.core.settings.jwt_setting import JWT, JwtRule
from pit_memory.core.settings.setting_keys import setting_key
from pit_memory.core.settings.setting_values import FILE, FLAG, GLOBS, NAMES, text, whole_number


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The server over HTTP."""

    host: str = setting_key(
        "127.0.0.1",
        text("a host name or address"),
        "Address that `serve --http` listens on; another than this machine's own needs tokens.",
        by="person",
    )
    port: int = setting_key(
        8484,
        whole_number(0, 65_535),
        "Port that `serve --http` listens on; 0 for any free one.",
        by="person",
    )
    allowed_hosts: tuple[str, ...] = setting_key(
        (),
        NAMES,
        "Host names besides its address that clients call the server by (`*.example.org` too).",
        by="person",
    )
    allowed_origins: tuple[str, ...] = setting_key(
        (),
        NAMES,
        "Origins of web pages that may call `serve --http`, such as https://app.example.org.",
        by="person",
    )
    certfile: str = setting_key(
        "", FILE, "Certificate chain (PEM) for TLS without a proxy.", by="person", guards=True
    )
    keyfile: str = setting_key(
        "", FILE, "Private key (PEM) of `server.certfile`.", by="person", guards=True
    )
    requests_a_minute: int = setting_key(
        600, whole_number(1, 1_000_000), "Requests of one token in a minute at most.", by="person"
    )
    assignment_requests_a_minute: int = setting_key(
        1_200,
        whole_number(1, 1_000_000),
        "Requests of all tokens of one assignment in a minute at most.",
        by="person",
    )
    max_request_bytes: int = setting_key(
        1_000_000,
        whole_number(1_000, 100_000_000),
        "Largest request; larger ones are refused.",
        by="person",
    )
    max_connections: int = setting_key(
        1_000, whole_number(1, 100_000), "Connections at once; more are told to wait.", by="person"
    )
    processes: int = setting_key(
        0,
        whole_number(0, 64),
        "Processes that answer the searches of `serve --http`, each with the model in memory; 1: "
        "the server itself. 0: one for each core, 4 at most, where there are several.",
        by="person",
    )
    log_content: bool = setting_key(
        False,
        FLAG,
        "Whether questions and other arguments of tools are written into the log.",
        by="person",
    )
    metrics_token: str = setting_key(
        "",
        text("a secret of at least 16 characters", lambda value: len(value) >= 16),
        "Secret with which /metrics and /health answer from other machines, too.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How a server's documents stay fresh."""

    every: int = setting_key(
        300,
        whole_number(10, 604_800),
        "Seconds after which `serve --http` looks at its files again, also when nobody asks.",
        by="person",
    )
    remote: bool = setting_key(
        False,
        FLAG,
        "Whether `serve --http` also fetches the clone's upstream and goes forward to it.",
        by="person",
    )
    secret: str = setting_key(
        "",
        text("a secret of at least 16 characters", lambda value: len(value) >= 16),
        "Shared with the forge whose push events `POST /hooks/push` takes; best from the "
        "environment.",
        by="person",
    )
    repositories: tuple[str, ...] = setting_key(
        (),
        NAMES,
        "Repositories whose pushes count, by full name, such as acme/handbook.",
        by="person",
    )
    branches: tuple[str, ...] = setting_key(
        ("main", "master"),
        GLOBS,
        "Branches whose pushes count for `POST /hooks/push`.",
        by="person",
    )
    base: str = setting_key(
        "main",
        text("a name of a branch"),
        "The team's branch on the remote, which is merged into `fetch.drafts`.",
        by="person",
    )
    drafts: str = setting_key(
        "",
        text("a name of a branch"),
        "Branch that agents write to, such as pit-memory/drafts; the clone stands on it. Empty: "
        "nothing is written over HTTP.",
        by="person",
    )


@dataclass(frozen=True, slots=True)
class AuthSettings:
    """Who may use the server over HTTP, besides the tokens of `pit-memory token`."""

    jwt: JwtRule | None = setting_key(  # noqa: RUF009 -- a field like the others
        None,
        JWT,
        "Signed tokens of your identity provider that are accepted.",
        by="person",
        guards=True,
    )
