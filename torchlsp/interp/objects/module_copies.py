"""Evaluates `copy.deepcopy` of modules, tensors and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import Origin, Storage, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def deep_copy(it: Evaluator, value: Value, node: ir.Node, names: dict[str, str] | None = None) -> Value:
    """Evaluates `copy.deepcopy(value)`: modules get new refs, tensors and arrays new memory, and keep their facts.

    `names` has the new name of each ref and memory that is copied: what shared memory before shares the copy of it.
    """
    names = {} if names is None else names
    if isinstance(value, (TensorFact, v.ArrayValue)):
        ids = value.storage.ids
        memory = " ".join(sorted(ids)) if ids else f"unknown {len(names)}"
        name = names.setdefault(memory, f"copy@{it.frame.site}:{node.start}.{len(names)}")
        origin = Origin(node.start, node.end, "value", (), it.frame.module.path)
        return replace(value, storage=Storage(frozenset({name})), origin=origin)
    if isinstance(value, v.TupleValue):
        return replace(value, items=tuple(deep_copy(it, item, node, names) for item in value.items))
    if not isinstance(value, (v.LayerValue, v.InstanceValue)):
        return value if isinstance(value, (v.Scalar, v.DTypeValue)) else UNKNOWN_VALUE
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
        elif isinstance(content, (v.LayerValue, v.InstanceValue, TensorFact)):
            content = deep_copy(it, content, node, names)
        it.state.set(heap, (ref, key), content)
    if isinstance(value, v.LayerValue):
        return v.LayerValue(ref, value.qualname, value.config, value.origin)
    return v.InstanceValue(ref, value.cls)
