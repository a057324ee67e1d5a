"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable

PATIENCE = 50.0
"""Seconds after which something that should have happened did not."""
_PAUSE = 0.01


def comes_true(condition: Callable[[], object]) -> bool:
    """Whether a condition holds before patience ends; it is asked again and again."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(_PAUSE)
    return False


def wait_until(condition: Callable[[], object]) -> None:
    """Fail the test where a condition never holds."""
    assert comes_true(condition), "waited in vain"
