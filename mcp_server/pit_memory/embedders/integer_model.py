"""Let a model whose weights are stored as 8-bit integers calculate with integers.

The packaged file turns its weights into floats before it uses them, so it calculates in float32 and
needs four times its size in memory. Rewritten, it multiplies integers: 2.5 times the speed, 120 MB
less, and search by meaning alone is as good (nDCG@10 on three sets: pages +.008, +.010, -.007,
sections +.015, +.009, +.004).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from pit_memory.embedders.model_file import WEIGHT_BITS
from pit_memory.embedders.onnx_file import (
    GRAPH_INITIALIZER,
    GRAPH_NODE,
    GRAPH_VALUE_INFO,
    MODEL_GRAPH,
    Field,
    Node,
    Parts,
    Tensor,
    bytes_field,
    fields,
    node,
    read_node,
    read_tensor,
    tensor,
)
from pit_memory.embedders.single_text import Nodes, for_single_texts

_LARGEST_STORED: Final = 127
_LARGEST_WEIGHT: Final = 2 ** (WEIGHT_BITS - 1) - 1
"""Processors without VNNI add two products of 8 by 8 bits in 16 and would overflow. With 7 bits a
weight they never do (2 x 255 x 63 < 2^15), so every processor comes to the same sums."""
_QUANTIZED: Final = ("integers", "scale", "zero")
"""What DynamicQuantizeLinear makes, in the order of its outputs."""
_FLOAT: Final = 1
"""Number of float32 among ONNX's types."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """Stored weights and the scale that makes them floats, one for each row or column."""

    stored: str
    scale: str


def with_integer_arithmetic(model: bytes) -> bytes:
    """Rewrite a model: matrix products of integers, embeddings made floats after the look-up.

    Args:
        model: an ONNX file whose int8 weights go through Cast and Mul before each use.

    Returns:
        An ONNX file with the same inputs and outputs.
    """
    parts: Parts = []
    for field in fields(memoryview(model)):
        if field.number == MODEL_GRAPH and isinstance(field.value, memoryview):
            parts += bytes_field(MODEL_GRAPH, _rewritten_graph(field.value))
        else:
            parts += field.parts()
    return b"".join(parts)


def _rewritten_graph(graph: memoryview) -> Parts:
    nodes: Nodes = []
    constants: list[tuple[Field, Tensor]] = []
    rest: Parts = []
    for field in fields(graph):
        if field.number == GRAPH_NODE and isinstance(field.value, memoryview):
            nodes.append((field.value, read_node(field.value)))
        elif field.number == GRAPH_INITIALIZER and isinstance(field.value, memoryview):
            constants.append((field, read_tensor(field.value)))
        elif field.number != GRAPH_VALUE_INFO:  # types of inner values, which change
            rest += field.parts()
    nodes = for_single_texts(nodes)
    weights = _weights([each for _, each in nodes], [each for _, each in constants])
    products = {
        weights[each.inputs[1]]
        for _, each in nodes
        if each.operation == "MatMul" and each.inputs[1] in weights
    }
    return [
        *_rewritten_nodes(nodes, weights),
        *_rewritten_constants(constants, products),
        *rest,
    ]


def _weights(nodes: list[Node], constants: list[Tensor]) -> dict[str, _Weights]:
    """The floats that are made from stored integers, by their name in the graph."""
    stored = {
        each.name for each in constants if each.values is not None and each.values.dtype == np.int8
    }
    cast = {
        each.outputs[0]: each.inputs[0]
        for each in nodes
        if each.operation == "Cast" and each.inputs[0] in stored
    }
    return {
        each.outputs[0]: _Weights(cast[each.inputs[0]], each.inputs[1])
        for each in nodes
        if each.operation == "Mul" and each.inputs[0] in cast
    }


def _rewritten_nodes(nodes: Nodes, weights: dict[str, _Weights]) -> Parts:
    stored = {each.stored for each in weights.values()}
    quantized: set[str] = set()
    parts: Parts = []
    for message, each in nodes:
        output = each.outputs[0]
        if output in weights or (each.operation == "Cast" and each.inputs[0] in stored):
            continue  # making floats of all weights
        if each.operation == "MatMul" and each.inputs[1] in weights:
            values = each.inputs[0]
            if values not in quantized:  # once for the products that share it
                quantized.add(values)
                parts += _quantization(values)
            parts += _product(values, weights[each.inputs[1]], output)
        elif each.operation == "Gather" and each.inputs[0] in weights:
            parts += _look_up(weights[each.inputs[0]], each.inputs[1], output)
        else:
            parts += bytes_field(GRAPH_NODE, [message])
    return parts


def _quantization(values: str) -> Parts:
    """Make 8-bit integers of values, by their range in this very run."""
    return node("DynamicQuantizeLinear", [values], [f"{values}/{part}" for part in _QUANTIZED])


def _product(values: str, weights: _Weights, output: str) -> Parts:
    quantized, scale, zero = (f"{values}/{part}" for part in _QUANTIZED)
    sums, float_sums, both_scales = (f"{output}/{part}" for part in ("sums", "floats", "scale"))
    return [
        *node("MatMulInteger", [quantized, weights.stored, zero], [sums]),
        *node("Cast", [sums], [float_sums], to=_FLOAT),
        *node("Mul", [scale, weights.scale], [both_scales]),
        *node("Mul", [float_sums, both_scales], [output]),
    ]


def _look_up(weights: _Weights, rows: str, output: str) -> Parts:
    """Take the rows that are asked for and make floats of them alone."""
    stored, floats, scale = (f"{output}/{part}" for part in ("stored", "floats", "scale"))
    return [
        *node("Gather", [weights.stored, rows], [stored], axis=0),
        *node("Cast", [stored], [floats], to=_FLOAT),
        *node("Gather", [weights.scale, rows], [scale], axis=0),
        *node("Mul", [floats, scale], [output]),
    ]


def _rewritten_constants(constants: list[tuple[Field, Tensor]], products: set[_Weights]) -> Parts:
    """All constants, the weights of products with a bit less."""
    stored = {each.stored for each in products}
    scales = {each.scale for each in products}
    parts: Parts = []
    for field, each in constants:
        if each.values is None or each.name not in stored | scales:
            parts += field.parts()
        elif each.name in stored:
            fewer = each.values * np.float32(_LARGEST_WEIGHT / _LARGEST_STORED)
            parts += tensor(each.name, np.rint(fewer).astype(np.int8))
        else:
            parts += tensor(each.name, each.values * np.float32(_LARGEST_STORED / _LARGEST_WEIGHT))
    return parts
