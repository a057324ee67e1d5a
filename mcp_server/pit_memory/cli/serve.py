"""`pit-memory serve`: the tools for an agent, over MCP."""

import click


@click.command()
def command() -> None:
    """Serve the tools to an agent over MCP.

    Speaks the protocol over standard input and output and ends when the input ends. An agent's
    client starts it (see `.mcp.json`); the project is the folder it is started in.
    """
    from pit_memory.server.__main__ import main

    raise SystemExit(main())
