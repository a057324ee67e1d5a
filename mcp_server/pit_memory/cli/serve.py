"""`pit-memory serve`: the tools for an agent, over MCP."""

import os
import sys
from pathlib import Path

import click

from pit_memory.cli.options import root_option


@click.command(
    epilog="""\b
Examples:
  pit-memory serve
  pit-memory serve --http
  pit-memory serve --http --host 0.0.0.0 --allow-host docs.example.org
"""
)
@click.option("--http", is_flag=True, help="Serve many clients over HTTP.")
@click.option("--host", metavar="ADDRESS", help="Where to listen [default: 127.0.0.1].")
@click.option("--port", type=int, metavar="PORT", help="Its port [default: 8484].")
@click.option("--certfile", metavar="PEM", help="Certificate chain, for TLS without a proxy.")
@click.option("--keyfile", metavar="PEM", help="Private key of the certificate.")
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A host name that clients call the server by; may be given several times.",
)
@click.option(
    "--metrics-token",
    metavar="SECRET",
    help="Lets /metrics and /health answer other machines; better as "
    "PIT_MEMORY_SERVER_METRICS_TOKEN, which no process list shows.",
)
@root_option
def command(
    http: bool,
    host: str | None,
    port: int | None,
    certfile: str | None,
    keyfile: str | None,
    allow_host: tuple[str, ...],
    metrics_token: str | None,
    root: Path | None,
) -> None:
    """Serve the tools to an agent over MCP.

    Speaks the protocol over standard input and output and ends when the input ends. An agent's
    client starts it (see `.mcp.json`); the project is the folder it is started in.

    With --http it serves a team: each request bears a token of `pit-memory token`, or a signed one
    of your identity provider (`auth.jwt`). Without any token it answers this machine alone.
    """
    for_http = {
        "--host": host,
        "--port": port,
        "--certfile": certfile,
        "--keyfile": keyfile,
    }
    arguments = [sys.executable, "-I", "-m", "pit_memory.server"]
    if root:
        arguments += ["--root", str(root)]
    if http:
        arguments.append("--http")
    given = {name: value for name, value in for_http.items() if value is not None}
    if not http and (given or allow_host or metrics_token):
        raise click.UsageError("--host, --port and their like go with --http")
    for name, value in given.items():
        arguments += [name, str(value)]
    for name in allow_host:
        arguments += ["--allow-host", name]
    if metrics_token:
        os.environ["PIT_MEMORY_SERVER_METRICS_TOKEN"] = metrics_token
    os.execv(arguments[0], arguments)  # noqa: S606 - the server is a program beside the command line
