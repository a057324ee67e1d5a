"""pit-memory: a team's docs, as memory for agents."""

__version__ = "0.1.0"
