"""Evaluates `copy.deepcopy` of modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def deep_copy(it: Evaluator, value: Value, node: ir.Node, names: dict[str, str] | None = None) -> Value:
    """Evaluates `copy.deepcopy(value)`: modules get new refs and keep their facts."""
    if not isinstance(value, (v.LayerValue, v.InstanceValue)):
        return value if isinstance(value, (v.Scalar, v.TupleValue, v.DTypeValue)) else UNKNOWN_VALUE
    names = {} if names is None else names
    if value.ref in names or len(names) > 200:
        return UNKNOWN_VALUE
    ref = f"{value.ref}~{node.start}"
    names[value.ref] = ref
    heap = it.state.heap
    for (owner, key), content in list(heap.items()):
        if owner != value.ref:
            continue
        if isinstance(content, tuple) and key == "[]":
            content = tuple(deep_copy(it, child, node, names) for child in content)
        elif isinstance(content, (v.LayerValue, v.InstanceValue)):
            content = deep_copy(it, content, node, names)
        it.state.set(heap, (ref, key), content)
    if isinstance(value, v.LayerValue):
        return v.LayerValue(ref, value.qualname, value.config, value.origin)
    return v.InstanceValue(ref, value.cls)
