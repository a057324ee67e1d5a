"""The file of a server's bearer tokens: read at each request, changed under a lock."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from pit_memory.core.serving.bearer_tokens import TokenRecord, as_values, from_values
from pit_memory.errors import SettingsError
from pit_memory.workspace.files import (
    make_data_folder,
    read_bytes,
    reason,
    storage_errors,
    write_atomic,
)
from pit_memory.workspace.locks import FileLock

_MAX_BYTES = 10_000_000
_PRIVATE = 0o600


class TokenFile:
    """Tokens as they are now: whoever revokes one need not restart the server."""

    def __init__(self, path: Path) -> None:
        """Name the file; it may not be there yet."""
        self.path = path
        self._known: tuple[object, tuple[TokenRecord, ...]] = (None, ())
        self._reading = Lock()

    def tokens(self) -> tuple[TokenRecord, ...]:
        """Every token, revoked and expired ones too; none where there is no file.

        Raises:
            SettingsError: the file can't be read.
        """
        try:
            stat = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        stamp = stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino
        with self._reading:
            if self._known[0] != stamp:
                self._known = stamp, _read(self.path)
            return self._known[1]

    @contextmanager
    def change(self) -> Iterator[list[TokenRecord]]:
        """A list to change; it is written at the end of the block, not after an error.

        Raises:
            SettingsError: the file can't be read.
            StoreBusyError, StorageFullError: it can't be changed now.
        """
        make_data_folder(self.path.parent)
        with FileLock(self.path.with_suffix(".lock")):
            tokens = list(_read(self.path)) if self.path.exists() else []
            yield tokens
            with storage_errors(self.path), suppress(FileExistsError):
                flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
                os.close(os.open(self.path, flags, _PRIVATE))
            text = json.dumps(as_values(tokens), indent=1, ensure_ascii=False)
            write_atomic(self.path, text.encode() + b"\n")


def _read(path: Path) -> tuple[TokenRecord, ...]:
    try:
        data = read_bytes(path, _MAX_BYTES)
    except OSError as error:
        message = f"can't read {path}: {reason(error)}; correct that, nobody is let in until then"
        raise SettingsError(message) from error
    if not data:
        return ()  # it is just being made
    try:
        value: object = json.loads(data)
    except ValueError as error:
        message = f"{path} is not JSON ({error}); restore it, or remove it and add the tokens anew"
        raise SettingsError(message) from error
    return from_values(value, str(path))
