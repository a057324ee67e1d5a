"""A server that many ask: who may see and do what, how often, and what is counted."""
