from collections import Counter
from hashlib import sha256

import numpy as np
import pytest

from pit_memory.embedders.model_file import REWRITING, find_model
from tests.builtin_model import builtin_embedder

TEXTS = (
    "Upgrades > Pinning\nThe client is pinned because an old call was removed.",
    "Simmer the onions until they are soft.",
    "kubectl rollout restart deployment/api --namespace prod",
    "x",
    "alpha " * 200,
)


@pytest.fixture(scope="module")
def packaged():
    builtin_embedder()  # skips where the packages aren't installed
    return find_model().read_bytes()


@pytest.fixture(scope="module")
def rewritten(packaged):
    from pit_memory.embedders.integer_model import with_integer_arithmetic

    return with_integer_arithmetic(packaged)


def graph_of(model):
    """(nodes, constants by name) of an ONNX file."""
    from pit_memory.embedders import onnx_file

    (graph,) = (
        field.value
        for field in onnx_file.fields(memoryview(model))
        if field.number == onnx_file.MODEL_GRAPH
    )
    parts = list(onnx_file.fields(graph))
    nodes = [onnx_file.read_node(each.value) for each in parts if each.number == 1]
    constants = (onnx_file.read_tensor(each.value) for each in parts if each.number == 5)
    return nodes, {each.name: each.values for each in constants}


def test_a_file_that_is_read_and_written_again_is_the_same(packaged):
    from pit_memory.embedders.onnx_file import fields

    written = b"".join(
        bytes(part) for field in fields(memoryview(packaged)) for part in field.parts()
    )

    assert written == packaged


def test_another_rewriting_has_another_version(rewritten):
    """Its number is in the fingerprint of vectors: raise it with any change of sums."""
    assert (REWRITING, sha256(rewritten).hexdigest()[:16]) == (1, "6faeb25ceae44665")


def test_every_product_with_weights_becomes_one_of_integers(packaged, rewritten):
    before = Counter(each.operation for each in graph_of(packaged)[0])
    after = Counter(each.operation for each in graph_of(rewritten)[0])

    layers = 6
    assert after["MatMulInteger"] == layers * 6
    assert before["MatMul"] - after["MatMul"] == layers * 6
    assert after["DynamicQuantizeLinear"] == layers * 4  # query, key and value share theirs
    assert {after[it] for it in ("IsNaN", "Where", "GatherND")} == {0}  # nothing is masked


def test_no_weight_of_a_product_is_so_large_that_two_products_overflow(rewritten):
    nodes, constants = graph_of(rewritten)
    weights = [constants[each.inputs[1]] for each in nodes if each.operation == "MatMulInteger"]

    assert max(int(np.abs(each.astype(np.int32)).max()) for each in weights) == 63
    assert 2 * 255 * 63 < 2**15


def test_without_what_serves_batches_the_vectors_are_the_same(packaged, rewritten, monkeypatch):
    import onnxruntime

    from pit_memory.embedders import integer_model
    from pit_memory.embedders.minilm import make_tokenizer, unit

    monkeypatch.setattr(integer_model, "for_single_texts", lambda nodes: nodes)
    whole = integer_model.with_integer_arithmetic(packaged)
    assert len(graph_of(rewritten)[0]) < len(graph_of(whole)[0])
    one, other = (
        onnxruntime.InferenceSession(each, providers=["CPUExecutionProvider"])
        for each in (whole, rewritten)
    )
    tokenizer = make_tokenizer()
    for text in TEXTS:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        vectors = [
            unit(it.run(["last_hidden_state"], inputs)[0][0].mean(axis=0)) for it in (one, other)
        ]
        assert float(vectors[0] @ vectors[1]) > 0.9999


def test_vectors_are_nearly_those_of_the_packaged_model(packaged):
    import onnxruntime

    from pit_memory.embedders.minilm import make_tokenizer, unit

    session = onnxruntime.InferenceSession(packaged, providers=["CPUExecutionProvider"])
    tokenizer = make_tokenizer()
    ours = builtin_embedder().embed_documents(TEXTS)
    for text, vector in zip(TEXTS, ours, strict=True):
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        (states,) = session.run(
            ["last_hidden_state"],
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        assert float(unit(states[0].mean(axis=0)) @ vector) > 0.97
