"""Files of the evaluation material beside the checkout, read from their archives."""

import gzip
import importlib.util
import json
import tarfile
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from tests.shared_material import shared


def archived_files(archive: str) -> Iterator[tuple[str, bytes]]:
    """(path in the archive, bytes) of a `tar.gz` of `../shared`; `.gz` files are unpacked."""
    with tarfile.open(shared(archive)) as opened:
        for member in opened:
            file = opened.extractfile(member) if member.isfile() else None
            if file is not None:
                data = file.read()
                packed = member.name.endswith(".gz")
                yield member.name.removesuffix(".gz"), gzip.decompress(data) if packed else data


def corpus_files(eval_set: str) -> dict[str, bytes]:
    """Path relative to the corpus to bytes, of an evaluation set."""
    files = archived_files(f"eval/{eval_set}/corpus.tar.gz")
    return {path.partition("corpus/")[2]: data for path, data in files}


def json_lines(path: str) -> list[dict[str, Any]]:
    """Records of a `.jsonl` of `../shared`."""
    # Not splitlines: some records hold other line separators.
    lines = shared(path).read_text(encoding="utf-8").strip().split("\n")
    return [json.loads(line) for line in lines]


def scorer() -> ModuleType:
    """The script that comes with the labelled sets."""
    spec = importlib.util.spec_from_file_location("score", shared("eval/score.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
