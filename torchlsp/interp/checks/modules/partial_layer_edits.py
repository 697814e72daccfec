"""Detects layers that are changed in part: a size that is only a label, a weight without its bias, a head that is not called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import ANY, Hooks
from torchlsp.interp.model import module_tree, store_entries
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, CHANGED, RESIZED
from torchlsp.ops.libraries import vision_models
from torchlsp.program import ir
from torchlsp.program.walking import module_nodes

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.ops.signature import Arguments
    from torchlsp.ops.table import LayerState

_NN = "torch.nn."
_CONVOLUTIONS = tuple(f"{_NN}Conv{rank}d" for rank in (1, 2, 3))
_LABELS = {
    f"{_NN}Linear": ("out_features", "in_features"),
    **dict.fromkeys(_CONVOLUTIONS, ("out_channels", "in_channels")),
    **dict.fromkeys((f"{_NN}BatchNorm{rank}d" for rank in (1, 2, 3)), ("num_features",)),
    f"{_NN}Embedding": ("num_embeddings", "embedding_dim"),
}
"""Attributes that a layer keeps only to display them: nothing is computed from them."""


def record_changed_attribute(it: Evaluator, layer: v.LayerValue, name: str) -> None:
    """Records that an attribute of a layer is set, unless that happens on some paths only."""
    if name in module_tree.SIZED_BEHAVIOUR:
        it.state.set(it.state.heap, (layer.ref, RESIZED), True)
    labels = _LABELS.get(layer.qualname)
    if labels is None or name not in (*labels, "weight"):
        return
    if not any(frame.conditional for frame in it.frames):
        _mark_changed(it, layer.ref, name)


def _mark_changed(it: Evaluator, ref: str, name: str) -> None:
    it.state.set(it.state.heap, (ref, CHANGED), it.state.heap.get((ref, CHANGED), frozenset()) | {name})


def record_replaced_parameter(it: Evaluator, layer: v.LayerValue, name: str, value: Value) -> None:
    """Records that `layer.weight = value` or `layer.weight.data = value` may change the parameter's size."""
    row = ops.layer(layer.qualname)
    if row is None or row.parameters is None or name.endswith("bias") or value == v.NONE:
        return
    before = row.parameters(module_tree.layer_state(it, layer))
    if name not in before or before[name] is None:
        return
    new = value.shape if isinstance(value, TensorFact) else None
    if new is None or shapes.same(before[name], new) is not Tri.YES:
        it.state.set(it.state.heap, (layer.ref, RESIZED), True)


def record_replaced_memory(it: Evaluator, target: TensorFact, value: Value) -> None:
    """Records that `p.data = value` may have changed the size of a parameter of a layer."""
    new = value.shape if isinstance(value, TensorFact) else None
    for owner in sorted(target.storage.ids or ()):
        ref, _, parameter = owner.rpartition(".")
        if parameter == "bias":
            _mark_changed(it, ref, "bias")
        elif target.shape is None or not parameter.isidentifier() or parameter.endswith("bias"):
            continue
        elif new is None or shapes.same(target.shape, new) is not Tri.YES:
            it.state.set(it.state.heap, (ref, RESIZED), True)


_ELEMENTWISE_METHODS = frozenset(
    """abs add bfloat16 clamp clip clone contiguous cpu cuda detach div double float half mul neg sign sub to type""".split()
)
"""Methods whose result is as large as the tensor, where the other operand is no larger."""


def record_data_of_any(it: Evaluator, node: ir.Assign, target: Value, value: Value) -> None:
    """Records that `p.data = value` in a loop over parameters may have changed the size of each of them."""
    if not isinstance(target, TensorFact) or target.provenance != "parameter" or target.shape is not None:
        return
    is_parameter = isinstance(value, TensorFact) and value.provenance == "parameter"
    if target.storage.ids and not is_parameter and not _is_computed_from_data(node.value):
        store_entries.forget_sizes_below(it, target.storage.ids)


def _is_computed_from_data(node: ir.Node) -> bool:
    """Returns whether an expression computes its value, element by element, from the data of a parameter or its gradient."""
    match node:
        case ir.Attribute(name="data" | "grad"):
            return True
        case ir.Call(function=ir.Attribute(object=inner, name=name)) if name in _ELEMENTWISE_METHODS:
            return _is_computed_from_data(inner)
        case ir.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
            return _is_computed_from_data(left) or _is_computed_from_data(right)
    return False


def report_partial_edit(
    it: Evaluator, layer: v.LayerValue, state: LayerState, arguments: Arguments, node: ir.Node
) -> None:
    """Reports the call of a layer that was changed in part, so that the change has no effect or breaks it."""
    heap = it.state.heap
    parts = heap.get((layer.ref, CHANGED))
    if not parts or (layer.ref, BASE) in heap:
        return
    names, labels, config = (
        heap.get((layer.ref, ATTRIBUTES), ()),
        _LABELS[layer.qualname],
        dict(layer.config),
    )
    if "weight" in names and "weight" not in parts:
        return
    if "weight" in names:
        weight, size = heap.get((layer.ref, "weight")), v.as_int(config.get(labels[0], v.NONE))
        has_bias = config.get("bias", v.TRUE) == v.TRUE and "bias" not in names and "bias" not in parts
        if not has_bias or len(labels) != 2 or labels[0] == "num_embeddings":
            return
        rows = weight.shape[0] if isinstance(weight, TensorFact) and weight.shape else None
        if isinstance(rows, int) and isinstance(size, int) and rows != size:
            _report(it, layer, node, ("reason", "bias"), ("name", "weight"), ("new", rows), ("old", size))
        return
    if heap.get((layer.ref, RESIZED)):
        return
    for name in labels:
        new = v.as_int(heap.get((layer.ref, name), v.NONE)) if name in parts else None
        old = v.as_int(config.get(name, v.NONE))
        if isinstance(new, int) and isinstance(old, int) and new != old:
            _report(it, layer, node, ("reason", "label"), ("name", name), ("new", new), ("old", old))
            return


def _report(it: Evaluator, layer: v.LayerValue, node: ir.Node, *data: tuple[str, object]) -> None:
    known = (*data, ("made", layer.origin))
    it.report([
        Fault(FaultKind.PART_CHANGED, node.start, node.end, layer.qualname, known, path=it.frame.module.path)
    ])  # fmt: skip


def record_new_head(it: Evaluator, model: v.LayerValue, name: str, value: Value) -> None:
    """Records that a model of torchvision is given a layer under the name of a head that other models have."""
    listed = vision_models.model(model.qualname)
    if listed is None or not isinstance(value, (v.LayerValue, v.InstanceValue)):
        return
    if name not in vision_models.head_names() or name in dict(listed.children):
        return
    if not any(frame.conditional for frame in it.frames):
        _mark_changed(it, model.ref, name)


def report_uncalled_head(it: Evaluator, model: v.LayerValue, node: ir.Node) -> None:
    """Reports the call of a model that has been given a head which its `forward` does not call, and keeps its own."""
    heap = it.state.heap
    listed, names = vision_models.model(model.qualname), heap.get((model.ref, CHANGED))
    if not names or listed is None or not _has_own_head(it, model, listed):
        return
    for name in sorted(names):
        new = heap.get((model.ref, name))
        if isinstance(new, v.LayerValue) and not _may_be_called(it, name):
            about = (("reason", "unread"), ("name", name), ("head", listed.head), ("model", listed.name))
            _report(it, model, node, *about, ("set", new.origin))


def _has_own_head(it: Evaluator, model: v.LayerValue, listed: vision_models.Model) -> bool:
    """Returns whether the head of a model is the one with which it was built."""
    first = listed.head.partition("[")[0].partition(".")[0]
    held = it.state.heap.get((model.ref, first))
    if not isinstance(held, v.LayerValue) or held.ref != f"{model.ref}.{first}":
        return False
    below = it.state.heap.get((held.ref, "[]"), ())
    return isinstance(below, tuple) and all(
        isinstance(one, v.LayerValue) and one.ref.startswith(f"{held.ref}.") for one in below
    )


_READING = frozenset(
    """parameters named_parameters weight bias in_features out_features to cuda cpu train eval requires_grad_ state_dict
    load_state_dict apply half float double""".split()
)
"""Attributes of a layer that are read without calling it or handing it on."""


def _may_be_called(it: Evaluator, name: str) -> bool:
    """Returns whether an attribute of this name may be called somewhere in the file, or is handed on."""
    harmless: set[int] = set()
    found: list[ir.Node] = []
    for node in module_nodes(it.frame.module.ir):
        match node:
            case ir.Assign(targets=targets):
                harmless.update(map(id, targets))
            case ir.Subscript(object=inner):
                harmless.add(id(inner))
            case ir.Attribute(object=inner, name=read):
                if read in _READING:
                    harmless.add(id(inner))
                if read == name:
                    found.append(node)
            case ir.Constant(value=str(text)) if name in text.replace(".", " ").split():
                return True
    return any(id(node) not in harmless for node in found)


HOOKS = Hooks(layer_call={ANY: report_partial_edit})
