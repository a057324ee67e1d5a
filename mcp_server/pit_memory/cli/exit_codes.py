"""What a command ends with, for scripts."""

EXIT_DONE = 0
EXIT_USER_MUST_ACT = 1
EXIT_USAGE = 2
EXIT_DEFECT = 3
EXIT_INTERRUPTED = 130
"""What a shell reports for Ctrl-C; nothing half-written remains, so it is neither 1 nor 3."""
