"""Just enough of the ONNX format (protobuf) to read a graph and to write another one.

Numbers of fields are those of `onnx.proto`. Large values stay views of the file until the end, when
everything is joined once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Buffer = bytes | memoryview
Parts = list[Buffer]
"""Pieces of a message that stand one after the other."""

_VARINT: Final = 0
_BYTES: Final = 2
_FIXED_SIZES: Final = {1: 8, 5: 4}

MODEL_GRAPH: Final = 7
GRAPH_NODE: Final = 1
GRAPH_INITIALIZER: Final = 5
GRAPH_VALUE_INFO: Final = 13

_INTEGER_ATTRIBUTE: Final = 2
_INTEGERS_ATTRIBUTE: Final = 7
_TYPES: Final[dict[int, np.dtype[Any]]] = {
    1: np.dtype(np.float32),
    2: np.dtype(np.uint8),
    3: np.dtype(np.int8),
}
_TYPE_NUMBERS: Final = {dtype: number for number, dtype in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    number: int
    wire: int
    value: int | memoryview

    def parts(self) -> Parts:
        """The field as it is written."""
        if isinstance(self.value, int):
            return [_varint(self.number << 3 | _VARINT), _varint(self.value)]
        if self.wire != _BYTES:
            return [_varint(self.number << 3 | self.wire), self.value]
        return bytes_field(self.number, [self.value])


@dataclass(frozen=True, slots=True)
class Node:
    """An operation of the graph."""

    operation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A constant of the graph."""

    name: str
    values: NDArray[Any] | None
    """None for a type that nobody here asks for."""


def fields(message: memoryview) -> Iterator[Field]:
    """The fields of a message, in order; raises IndexError or ValueError for what is none."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _read_varint(message, at)
            yield Field(number, wire, value)
            continue
        if wire == _BYTES:
            size, at = _read_varint(message, at)
        elif wire in _FIXED_SIZES:
            size = _FIXED_SIZES[wire]
        else:
            raise ValueError(f"no such kind of field: {wire}")
        yield Field(number, wire, message[at : at + size])
        at += size


def bytes_field(number: int, parts: Sequence[Buffer]) -> Parts:
    """A field that holds bytes, a text or a message."""
    size = sum(len(part) for part in parts)
    return [_varint(number << 3 | _BYTES), _varint(size), *parts]


def read_node(message: memoryview) -> Node:
    """A node, without its attributes."""
    texts: dict[int, list[str]] = {1: [], 2: [], 4: []}
    for field in fields(message):
        if field.number in texts and isinstance(field.value, memoryview):
            texts[field.number].append(str(field.value, "utf-8"))
    return Node(texts[4][0], tuple(texts[1]), tuple(texts[2]))


def with_inputs(message: memoryview, names: Mapping[str, str]) -> memoryview:
    """A node that takes other values, by their present names; the rest of it stays."""
    parts: Parts = []
    for field in fields(message):
        if field.number == 1 and isinstance(field.value, memoryview):
            name = str(field.value, "utf-8")
            parts += bytes_field(1, [names.get(name, name).encode()])
        else:
            parts += field.parts()
    return memoryview(b"".join(parts))


def node(operation: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: int) -> Parts:
    """A field of the graph that holds a node with whole-number attributes."""
    return bytes_field(GRAPH_NODE, [node_message(operation, inputs, outputs, **attributes)])


def node_message(
    operation: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    **attributes: int | tuple[int, ...],
) -> memoryview:
    """A node with attributes that are whole numbers or some of them."""
    parts: Parts = []
    for name in inputs:
        parts += bytes_field(1, [name.encode()])
    for name in outputs:
        parts += bytes_field(2, [name.encode()])
    parts += bytes_field(4, [operation.encode()])
    for name, value in attributes.items():
        several = isinstance(value, tuple)
        attribute = bytes_field(1, [name.encode()])
        for number in value if isinstance(value, tuple) else (value,):
            attribute += Field(8 if several else 3, _VARINT, number).parts()
        kind = _INTEGERS_ATTRIBUTE if several else _INTEGER_ATTRIBUTE
        attribute += Field(20, _VARINT, kind).parts()
        parts += bytes_field(5, attribute)
    return memoryview(b"".join(parts))


def read_tensor(message: memoryview) -> Tensor:
    """A constant, its values as a view of the message."""
    shape: list[int] = []
    name, raw = "", memoryview(b"")
    dtype: np.dtype[Any] | None = None
    for field in fields(message):
        if isinstance(field.value, int):
            if field.number == 1:
                shape.append(field.value)
            elif field.number == 2:
                dtype = _TYPES.get(field.value)
        elif field.number == 8:
            name = str(field.value, "utf-8")
        elif field.number == 9:
            raw = field.value
    values = None if dtype is None else np.frombuffer(raw, dtype).reshape(shape)
    return Tensor(name, values)


def tensor(name: str, values: NDArray[Any]) -> Parts:
    """A field of the graph that holds a constant."""
    parts: Parts = []
    for size in values.shape:
        parts += Field(1, _VARINT, size).parts()
    parts += Field(2, _VARINT, _TYPE_NUMBERS[values.dtype]).parts()
    parts += bytes_field(8, [name.encode()])
    parts += bytes_field(9, [values.tobytes()])
    return bytes_field(GRAPH_INITIALIZER, parts)


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
