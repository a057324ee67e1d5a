"""The block a session starts with: rules, gotchas, what the documents are about."""

DEFAULT_BUDGET = 1200
"""Tokens of everything that is always in context."""
