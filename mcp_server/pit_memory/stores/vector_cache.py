"""The person's cache of vectors: no text is ever embedded twice, in whichever tree it stands."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class VectorCache:
    """One SQLite file, shared by every store, process and thread of a person."""

    @classmethod
    def open(cls, path: Path) -> "VectorCache":
        """Open the cache, made first where there is none; a damaged one is set aside (`notes`).

        Raises:
            StoreNewerError: written by a newer version.
            StoreBusyError, StorageFullError: it can't be opened now.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection; the object can't be used afterwards."""
        raise NotImplementedError

    def notes(self) -> tuple[str, ...]:
        """What was found damaged and set aside, one line each."""
        raise NotImplementedError

    def read(
        self, fingerprint: str, hashes: Sequence[bytes]
    ) -> "Mapping[bytes, NDArray[float32]]":
        """The vectors of those texts that have one of this model."""
        raise NotImplementedError

    def write(
        self, fingerprint: str, vectors: "Mapping[bytes, NDArray[float32]]", day: int
    ) -> None:
        """Keep vectors, by the hash of their text; a row that isn't a unit vector is refused."""
        raise NotImplementedError
