"""`pit-memory serve`: the tools for an agent, over MCP."""

import os
import sys

import click


@click.command()
def command() -> None:
    """Serve the tools to an agent over MCP.

    Speaks the protocol over standard input and output and ends when the input ends. An agent's
    client starts it (see `.mcp.json`); the project is the folder it is started in.
    """
    arguments = [sys.executable, "-I", "-m", "pit_memory.server"]
    os.execv(arguments[0], arguments)  # noqa: S606 - the server is a program beside the command line
