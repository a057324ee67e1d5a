"""A limit on the computing time of a block, for the one thread of a short process."""

import signal
from types import FrameType, TracebackType


class OutOfTimeError(Exception):
    """The block has used up its time."""


class CpuLimit:
    """Raises OutOfTimeError inside a `with` block that computes for too long.

    Python's matching of regular expressions lets signals through, so it ends a pattern that would
    otherwise take for ever. Computing time and not time: a machine that is busy with other things
    does not make a block fail. The main thread only.
    """

    def __init__(self, seconds: float) -> None:
        """Take a time; the kernel counts in steps of some milliseconds."""
        self._seconds = seconds
        self._is_running = False

    def __enter__(self) -> None:
        self._is_running = True
        signal.signal(signal.SIGVTALRM, self._stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_running = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_running:  # else it came while the block was being left
            raise OutOfTimeError
