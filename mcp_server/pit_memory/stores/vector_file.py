"""A store's vectors as one file that every process maps into memory and shares.

Layout: a line of JSON padded to a block, then arrays, each padded likewise. A file is whole when it
has its name and never changes; whoever has mapped it keeps it when a newer one takes its place.
"""

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pit_memory.stores.vector_table import Floats, Ids, Rows
from pit_memory.workspace.files import make_data_folder, storage_errors
from pit_memory.workspace.locks import FileLock

_FORMAT: Final = "pit-memory vectors 1"
_BLOCK: Final = 4_096
_ENDING: Final = ".vectors"
_UNFINISHED: Final = ".unfinished"
_OTHER_MODEL_SECONDS: Final = 30 * 86_400
"""A file of another model goes when it is this much older than a new one: until then a second
version of pit-memory may be using it."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Chunks without a vector."""

    chunks: Ids
    documents: Ids
    hashes: NDArray[np.uint8]
    """SHA-256 of the text of each, shape (chunks, 32)."""


@dataclass(frozen=True, slots=True)
class VectorFile:
    """What a file holds: a store's vectors as they stood at a generation."""

    generation: int
    mark: str
    """How far the vector cache had been read."""
    rows: Rows
    lengths: tuple[Ids, Floats]
    """Documents and the lengths of their pages' summed vectors, see `VectorTable`."""
    missing: Missing


def read(path: Path, fingerprint: str) -> VectorFile | None:
    """Map a file into memory; None where it is gone, damaged or of another model or layout."""
    try:
        data = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        header = json.loads(bytes(data[:_BLOCK]))
    except (OSError, ValueError):
        return None
    if not isinstance(header, dict) or [header.get(key) for key in ("format", "fingerprint")] != [
        _FORMAT,
        fingerprint,
    ]:
        return None
    if header["bytes"] != len(data):  # cut off by a power cut or a copy
        return None
    arrays = []
    begin = _BLOCK
    for dtype, shape in header["arrays"]:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        arrays.append(data[begin : begin + size].view(dtype).reshape(shape))
        begin += _padded(size)
    vectors, chunks, documents, pages, lengths, *missing = arrays
    return VectorFile(
        header["generation"],
        header["mark"],
        Rows(chunks, documents, vectors),
        (pages, lengths),
        Missing(*missing),
    )


def publish(
    folder: Path, fingerprint: str, content: VectorFile, record: Callable[[str], None]
) -> bool:
    """Write the file of a generation and remove those it replaces.

    Args:
        folder: where the store's vector files lie.
        fingerprint: of the model.
        content: what to write.
        record: told the name of the finished file; from then on others open it.

    Returns:
        False where another process is publishing: its file will do.

    Raises:
        StorageFullError: no room; nothing half-written remains.
    """
    make_data_folder(folder)
    lock = FileLock(folder / "publish.lock")
    if not lock.try_acquire():
        return False
    try:
        for left_over in folder.glob(f"*{_UNFINISHED}"):  # of a publisher that was killed
            left_over.unlink(missing_ok=True)
        path = folder / f"{_prefix(fingerprint)}{secrets.token_hex(8)}{_ENDING}"
        _write(path, fingerprint, content)
        record(path.name)
        _remove_replaced(path, fingerprint)
    finally:
        lock.release()
    return True


def _write(path: Path, fingerprint: str, content: VectorFile) -> None:
    arrays = _arrays(content)
    described = [(array.dtype.str, array.shape) for array in arrays]
    size = _BLOCK + sum(_padded(array.nbytes) for array in arrays)
    header = {
        "format": _FORMAT,
        "fingerprint": fingerprint,
        "generation": content.generation,
        "mark": content.mark,
        "arrays": described,
        "bytes": size,
    }
    unfinished = path.with_name(path.name + _UNFINISHED)
    with storage_errors(path):
        try:
            with unfinished.open("xb") as file:
                file.write(json.dumps(header).encode().ljust(_BLOCK))
                for array in arrays:
                    file.write(np.ascontiguousarray(array).data)
                    file.write(bytes(_padded(array.nbytes) - array.nbytes))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def _arrays(content: VectorFile) -> list[NDArray[np.generic]]:
    """What the file holds, in the order it holds it."""
    rows, missing = content.rows, content.missing
    return [
        rows.vectors,
        rows.chunks,
        rows.documents,
        *content.lengths,
        missing.chunks,
        missing.documents,
        missing.hashes,
    ]


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _prefix(fingerprint: str) -> str:
    return sha256(fingerprint.encode()).hexdigest()[:8] + "-"


def _remove_replaced(newest: Path, fingerprint: str) -> None:
    written = newest.stat().st_mtime
    for file in newest.parent.glob(f"*{_ENDING}"):
        if file == newest:
            continue
        same_model = file.name.startswith(_prefix(fingerprint))
        if same_model or written - file.stat().st_mtime > _OTHER_MODEL_SECONDS:
            file.unlink(missing_ok=True)
