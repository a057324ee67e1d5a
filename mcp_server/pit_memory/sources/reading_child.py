"""Read many files in a child process, while this one indexes what was read.

Taking files apart and turning them into keyword entries cost about the same, and Python runs one
thread at a time. The child gets its list first and then only writes, so the two can't wait for each
other; it ends by itself when nobody reads any more, however this process ended.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Queue
from threading import Thread
from typing import IO

from pit_memory.core.documents.documents import Problem
from pit_memory.core.source import Source
from pit_memory.sources.reading import ReadFile, read_source_file

_START = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve()"

_AHEAD_BYTES = 8_000_000
"""Of files, read and waiting to be indexed: about 40 MB of memory, and some seconds of work."""

Reading = tuple[str, ReadFile | Problem | None]
"""A path and what `sources.reading.read_source_file` says of it."""


def read_in_child(source: Source, paths: Sequence[str]) -> Iterator[Reading]:
    """Read files in order; what a child that was killed leaves over is read here."""
    done = 0
    for reading in _from_child(source, paths):
        done += 1
        yield reading
    for path in paths[done:]:
        yield path, read_source_file(source, path)


def serve() -> None:
    """Run in the child: read the list, then write what each file holds."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints stays out of the answers
    source, paths = pickle.load(sys.stdin.buffer)  # noqa: S301 -- our own parent wrote it
    with suppress(BrokenPipeError):
        for path in paths:
            pickle.dump((path, read_source_file(source, path)), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _from_child(source: Source, paths: Sequence[str]) -> Iterator[Reading]:
    start = _START.format(path=sys.path, module=__name__)
    with subprocess.Popen(
        [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        try:
            if child.stdin and child.stdout:
                with suppress(BrokenPipeError):
                    pickle.dump((source, tuple(paths)), child.stdin)
                    child.stdin.close()
                yield from _ahead(child.stdout)
        finally:
            child.kill()


def _ahead(answers: IO[bytes]) -> Iterator[Reading]:
    """Take answers as they come, up to a bound, so that the child goes on while we index."""
    waiting = _Waiting()
    Thread(target=_receive, args=(answers, waiting), daemon=True).start()
    try:
        while (reading := waiting.get()) is not None:
            yield reading
    finally:
        waiting.open_wide()


def _receive(answers: IO[bytes], waiting: "_Waiting") -> None:
    with suppress(EOFError, pickle.UnpicklingError, ValueError):  # it ended, or nobody listens
        while True:
            waiting.put(pickle.load(answers))  # noqa: S301 -- our own child wrote it
    waiting.put(None)


class _Waiting(Queue[Reading | None]):
    """A queue that is full at so many bytes of files."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self.maxsize = _AHEAD_BYTES
        self._bytes = 0

    def open_wide(self) -> None:
        """Let whoever puts go on: nobody gets any more."""
        with self.mutex:
            self.maxsize = 0
            self.not_full.notify_all()

    def _qsize(self) -> int:
        return self._bytes

    def _put(self, item: Reading | None) -> None:
        self._bytes += _weight(item)
        super()._put(item)

    def _get(self) -> Reading | None:
        item: Reading | None = super()._get()
        self._bytes -= _weight(item)
        return item


def _weight(item: Reading | None) -> int:
    read = item[1] if item else None
    return 1 + (read.size if isinstance(read, ReadFile) else 0)
