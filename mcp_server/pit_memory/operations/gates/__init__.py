"""The section indexes and their gates: build, check, look up, the git hook."""
