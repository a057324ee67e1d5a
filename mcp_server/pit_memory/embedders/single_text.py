"""Take out of the model's graph what changes nothing where a run is one text.

The packaged graph masks what fills up the shorter texts of a batch, sees to rows that are masked
altogether, and turns the keys of attention by way of three dimensions. Without that a question
takes an eighth less time and a full text a ninth; on x86-64 the values are the same to the bit.
"""

from collections.abc import Mapping
from typing import Final

from pit_memory.embedders.onnx_file import Node, node_message, read_node, with_inputs

Nodes = list[tuple[memoryview, Node]]
"""Each as it is written, and read."""
_LAST_TWO_TURNED: Final = (0, 1, 3, 2)
"""Of text, head, word, number."""


def for_single_texts(nodes: Nodes) -> Nodes:
    """The nodes that are left, in their order."""
    made_by = {each.outputs[0]: each for _, each in nodes}
    same = _same_values(made_by)
    turned = _turned(made_by)
    wanted = made_by.keys() - {name for _, each in nodes for name in each.inputs}
    left: Nodes = []
    for message, each in reversed(nodes):
        output = each.outputs[0]
        if output in same or wanted.isdisjoint(each.outputs):
            continue
        if output in turned:
            kept = node_message("Transpose", [turned[output]], [output], perm=_LAST_TWO_TURNED)
        else:
            kept = with_inputs(message, same)
        left.append((kept, read_node(kept)))
        wanted.update(left[-1][1].inputs)
    return left[::-1]


def _same_values(made_by: Mapping[str, Node]) -> dict[str, str]:
    """Values without a mask, by the name of those with it."""
    same = {}
    for output, each in made_by.items():
        made_of = made_by.get(each.inputs[0]) if each.inputs else None
        if made_of is None:
            continue
        if (each.operation, made_of.operation) == ("Softmax", "Add"):  # scores and mask
            same[each.inputs[0]] = made_of.inputs[0]
        elif (each.operation, made_of.operation) == ("Where", "IsNaN"):
            same[output] = each.inputs[2]
    return same


def _turned(made_by: Mapping[str, Node]) -> dict[str, str]:
    """Keys, by the name of what is made of them."""
    turned = {}
    for output in made_by:
        name, names = output, []
        for operation in ("Reshape", "Transpose", "Reshape", "Transpose"):
            each = made_by.get(name)
            if each is None or each.operation != operation:
                break
            name = each.inputs[0]
            names.append(name)
        else:
            turned[output] = names[2]
    return turned
