"""The MCP server: a factory, its tools, and how errors are told to an agent."""
