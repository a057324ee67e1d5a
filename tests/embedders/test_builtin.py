import hashlib
import subprocess
import sys
from importlib.machinery import PathFinder
from importlib.resources import files

import numpy as np
import pytest

from pit_memory.embedders.builtin import BuiltinEmbedder
from pit_memory.embedders.model_file import REWRITING, TOKEN_LIMIT, find_model
from pit_memory.errors import EmbedderError
from tests.builtin_model import builtin_embedder

VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def test_the_vocabulary_that_ships_is_the_models_own_and_has_its_notice():
    data = files("pit_memory.embedders") / "data"

    vocabulary = (data / "minilm-vocab.txt").read_bytes()
    assert hashlib.sha256(vocabulary).hexdigest() == VOCABULARY_SHA256
    notice = (data / "NOTICE").read_text(encoding="utf-8")
    assert VOCABULARY_SHA256 in notice
    assert "Apache License" in notice
    assert (data / "LICENSE-Apache-2.0.txt").is_file()


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hello world", [101, 7592, 2088, 102]),
        ("Embeddings", [101, 7861, 8270, 4667, 2015, 102]),
        ("naïve CAFÉ", [101, 15743, 7668, 102]),
        ("a-b_c", [101, 1037, 1011, 1038, 1035, 1039, 102]),
        ("東京", [101, 1879, 1755, 102]),
        ("w" * 101, [101, 100, 102]),
    ],
    ids=["words", "pieces", "accents and case", "punctuation", "ideographs", "too long a word"],
)
def test_text_is_cut_into_the_models_word_pieces(text, pieces):
    builtin_embedder()
    from pit_memory.embedders.minilm import make_tokenizer

    assert make_tokenizer().encode(text).ids == pieces


def test_only_the_first_word_pieces_of_a_long_text_count():
    embedder = builtin_embedder()
    read = TOKEN_LIMIT - len(["[CLS]", "[SEP]"])
    words = " ".join(["alpha"] * read)

    exact, longer, shorter = embedder.embed_documents(
        [words, f"{words} omega omega", " ".join(["alpha"] * (read - 1)) + " omega"]
    )

    assert np.array_equal(exact, longer)
    assert not np.array_equal(exact, shorter)


def test_a_question_asked_of_several_stores_is_embedded_once():
    embedder = builtin_embedder()

    first = embedder.embed_query("how do I pin the client?")

    assert embedder.embed_query("how do I pin the client?") is first
    assert not first.flags.writeable


def test_the_fingerprint_tells_file_arithmetic_dimension_limit_and_pooling(tmp_path):
    embedder = BuiltinEmbedder(tmp_path / "verdict")

    arithmetic = f"int7.{REWRITING}"
    assert embedder.fingerprint == (
        f"all-MiniLM-L6-v2:8199be6f699a395f:{arithmetic}:384:{TOKEN_LIMIT}:mean"
    )


def test_naming_an_embedder_loads_neither_runtime_nor_numpy(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from pit_memory.embedders.builtin import BuiltinEmbedder\n"
        f"embedder = BuiltinEmbedder(Path({str(tmp_path / 'verdict')!r}))\n"
        "embedder.fingerprint\n"
        "print(*{'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    assert ran.stdout.split() == []


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_runtime_that_cant_be_imported_is_named_with_the_remedy(tmp_path, monkeypatch, missing):
    model = find_model()
    for module in [name for name in sys.modules if name.startswith("pit_memory.embedders.minilm")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)

    with pytest.raises(EmbedderError) as refused:
        BuiltinEmbedder(tmp_path / "verdict", model).embed_query("a question")

    assert missing in str(refused.value)
    assert "pip install" in str(refused.value)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_runtime_without_a_wheel_for_this_platform_shows_in_the_check(
    tmp_path, monkeypatch, missing
):
    monkeypatch.delitem(sys.modules, missing, raising=False)
    find = PathFinder.find_spec
    monkeypatch.setattr(
        PathFinder, "find_spec", lambda name, *rest: None if name == missing else find(name, *rest)
    )

    with pytest.raises(EmbedderError, match=f"No module named '{missing}'.*pip install"):
        BuiltinEmbedder(tmp_path / "verdict", find_model()).check()


def test_a_vector_without_a_direction_is_refused():
    builtin_embedder()
    from pit_memory.embedders.minilm import unit

    for broken in ([0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(EmbedderError, match="no direction"):
            unit(np.array(broken, dtype=np.float32))
