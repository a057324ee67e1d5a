"""Lines of bytes in and out of file descriptors, bounded, without ever blocking after `select`."""

import os
import select

READ_BYTES = 65536
MAX_LINE_BYTES = 4 * 1024 * 1024
"""A longer line is dropped while it arrives: no client of these tools has a reason to send one."""


class LineReader:
    """Collects what a descriptor delivers into whole lines."""

    def __init__(self, fd: int, max_bytes: int = MAX_LINE_BYTES) -> None:
        self.fd = fd
        self.closed = False
        """True once the other side closed its end."""
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._too_long = False

    def read(self) -> list[bytes | None]:
        """Take what is there; call it when `select` says so.

        Returns:
            Whole lines without line end, blank ones left out; None is a line that was too long.
        """
        try:
            data = os.read(self.fd, READ_BYTES)
        except BlockingIOError:  # another process that shares the descriptor was quicker
            return []
        except OSError:  # such as a socket whose other end left with answers unread
            data = b""
        if not data:
            self.closed = True
            return self._line()
        lines: list[bytes | None] = []
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._collect(part)
            lines += self._line()
        self._collect(rest)
        return lines

    def _collect(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_bytes:
            self._too_long = True
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _line(self) -> list[bytes | None]:
        line = b"".join(self._parts).strip()
        too_long = self._too_long
        self._parts.clear()
        self._size = 0
        self._too_long = False
        if too_long:
            return [None]
        return [line] if line else []


class LineWriter:
    """Holds lines for a descriptor until it takes them."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._held = bytearray()

    def __len__(self) -> int:
        """Bytes that are still held."""
        return len(self._held)

    def add(self, line: bytes) -> None:
        """Hold one line, given without its line end."""
        self._held += line
        self._held += b"\n"

    def write(self) -> None:
        """Hand over what a writable pipe takes without blocking; call it when `select` says so.

        Raises:
            BrokenPipeError: the reader is gone, or can't be written to any more.
        """
        try:
            taken = os.write(self.fd, self._held[: select.PIPE_BUF])
        except BlockingIOError:  # a socket may have room for less
            return
        except OSError as error:
            raise BrokenPipeError(*error.args) from error
        del self._held[:taken]

    def has_reader(self) -> bool:
        """False once nobody can read what is written here."""
        poll = select.poll()
        poll.register(self.fd, 0)  # Errors are reported whatever one asks for.
        return not poll.poll(0)
