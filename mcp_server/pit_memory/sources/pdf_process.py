"""The process that reads PDFs, kept for the next file: it starts slower than it reads one."""

import atexit
import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock, Thread
from typing import IO, Any

FILE_SECONDS = 120.0
"""For one file; a book of 2,000 pages takes less than a tenth of it."""
_START_SECONDS = 60.0
"""For the first answer of a process, which has to load its library on a busy machine."""
_FILES = 200
"""A process is replaced after so many: libraries keep memory."""
_START = (
    "import sys; sys.path[:] = {path!r}; from pit_memory.sources.pdf_child import serve; serve()"
)


class PdfStoppedError(Exception):
    """The process ended or ran out of time; what it said before stands."""


class _Process:
    """One process; one file at a time."""

    def __init__(self) -> None:
        # The interpreter's own search path: the environment may hold names of other projects.
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-c", _START.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self.files = 0

    @property
    def is_spent(self) -> bool:
        """It has read enough, or ended since its last file: killed for its memory, perhaps."""
        return self.files >= _FILES or self._child.poll() is not None

    def ask(self, data: bytes) -> Iterator[dict[str, Any]]:
        """What it says of a file, without the end.

        Raises:
            PdfStoppedError: it ended early, or took too long.
        """
        stdin = self._child.stdin
        if stdin is None:
            raise PdfStoppedError
        ends = time.monotonic() + FILE_SECONDS + (0 if self.files else _START_SECONDS)
        self.files += 1
        Thread(target=_send, args=(stdin, data), daemon=True).start()
        while True:
            said = json.loads(self._line(ends))
            if "end" in said:
                return
            yield said

    def _line(self, ends: float) -> bytes:
        stdout = self._child.stdout
        if stdout is None:
            raise PdfStoppedError
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while not self._lines:
                if not selector.select(max(0.0, ends - time.monotonic())):
                    message = f"took longer than {FILE_SECONDS:g} s"
                    raise PdfStoppedError(message)
                part = os.read(stdout.fileno(), 1 << 20)
                if not part:
                    message = "crashed the reader, or needs more memory than it may have"
                    raise PdfStoppedError(message)
                *whole, self._rest = (self._rest + part).split(b"\n")
                self._lines.extend(whole)
        return self._lines.popleft()

    def end(self) -> None:
        """End it, whatever it does."""
        self._child.kill()
        self._child.wait()
        for stream in (self._child.stdin, self._child.stdout):
            if stream:
                with suppress(OSError):
                    stream.close()


def _send(stdin: IO[bytes], data: bytes) -> None:
    with suppress(OSError, ValueError):  # it ended, which its answers tell
        stdin.write(len(data).to_bytes(8, "big"))
        stdin.write(data)
        stdin.flush()


class PdfProcess:
    """Asks one process after another; safe to use from several threads, which take turns."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._process: _Process | None = None

    def ask(self, data: bytes) -> Iterator[dict[str, Any]]:
        """What the process says of a file, line by line.

        Raises:
            PdfStoppedError: it ended early, or took too long; the next file gets a new one.
        """
        with self._turn:
            if self._process is None or self._process.is_spent:
                self.end()
                self._process = _Process()
            whole = False
            try:
                yield from self._process.ask(data)
                whole = True
            finally:
                if not whole:
                    self.end()

    def end(self) -> None:
        """End the process; the next file starts another one."""
        if self._process is not None:
            self._process.end()
            self._process = None


PDF_PROCESS = PdfProcess()
"""The process of this interpreter; it ends with it."""
atexit.register(PDF_PROCESS.end)
