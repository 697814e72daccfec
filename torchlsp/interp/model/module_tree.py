"""Walks the submodules of a torch.nn.Module, and reads or changes the state of its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, Device
from torchlsp.facts.tensor import Grad, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.store.heap_keys import (
    AGAIN,
    ATTRIBUTES,
    CALLED,
    DEVICE,
    DTYPE,
    FROZEN,
    GRAD,
    MEMORY,
    RESIZED,
    TRAINING,
    UNREADY,
)
from torchlsp.ops.call import LayerState

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

TorchModule = Union[v.LayerValue, v.InstanceValue]
"""A module without its wrappers: a layer of torch, or an object of a class of the workspace."""

CONTAINERS = frozenset(
    {"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList"}
)


_MAX_MODULES = 20_000
"""How many modules `submodules` returns at most: more than the interpreter can build within its budget."""


_SIZES = frozenset(
    """in_features out_features in1_features in2_features in_channels out_channels num_features num_channels normalized_shape
    num_embeddings embedding_dim input_size hidden_size proj_size embed_dim kdim vdim num_parameters""".split()
)
"""Constructor arguments of layers that determine the sizes of their parameters."""
BEHAVIOUR = frozenset(
    """stride padding dilation output_padding output_size scale_factor size mode align_corners ceil_mode return_indices dim start_dim
    end_dim unflattened_size reduction ignore_index batch_first upscale_factor downscale_factor""".split()
)
"""Constructor arguments that layers keep as attributes, and read whenever they are called: `layer.stride = 1` changes them."""
SIZED_BEHAVIOUR = frozenset({"groups", "num_groups", "normalized_shape"})
"""Those besides that the sizes of a layer's parameters depend on."""


def mark_ready(it: Evaluator, instance: Value) -> None:
    """Records that `Module.__init__` has run on an object, or may have."""
    if isinstance(instance, v.InstanceValue) and it.state.heap.get((instance.ref, UNREADY)) is True:
        it.state.set(it.state.heap, (instance.ref, UNREADY), False)


def device_of(it: Evaluator, value: Value) -> Device | None:
    """Returns the device that an argument names (a device, a string or an index); None if it is unknown."""
    match value:
        case v.DeviceValue(device=device):
            return device
        case v.Scalar(kind="str", value=str(text)):
            from torchlsp.facts.device import parse

            return parse(text)
        case v.Scalar(kind="int", value=int(index)):
            return Device("cuda", index)
    return None


def layer_state(it: Evaluator, layer: v.LayerValue) -> LayerState:
    """Returns the current state of a layer: constructor arguments, device, dtype, modes."""
    heap = it.state.heap
    return LayerState(
        config_of(it, layer),
        heap.get((layer.ref, DEVICE), CPU),
        heap.get((layer.ref, DTYPE), "f32"),
        heap.get((layer.ref, TRAINING), Tri.YES),
        Tri.UNKNOWN if heap.get(("*", FROZEN)) else heap.get((layer.ref, GRAD), Tri.YES),
        heap.get((layer.ref, MEMORY), "row-major"),
        layer.ref,
    )


def submodules(it: Evaluator, value: Value, seen: set[str] | None = None) -> list[TorchModule]:
    """Returns the module itself and all known modules below it; nothing for a value that is not a module."""
    seen = set() if seen is None else seen
    match value:
        case v.Wrapped(module=module):
            return submodules(it, module, seen)
        case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref):
            if ref in seen or len(seen) > _MAX_MODULES:
                return []
            seen.add(ref)
            modules: list[TorchModule] = [value]
            heap = it.state.heap
            items = heap.get((ref, "[]"))
            for child in items if isinstance(items, tuple) else ():
                modules.extend(submodules(it, child, seen))
            if isinstance(items, v.Repeated):
                modules.extend(submodules(it, items.element, seen))
            entries = heap.get((ref, "{}"))
            for child in entries.values() if isinstance(entries, dict) else ():
                modules.extend(submodules(it, child, seen))
            for name in heap.get((ref, ATTRIBUTES), ()):
                child = heap.get((ref, name))
                if isinstance(child, (v.LayerValue, v.InstanceValue, v.Wrapped)):
                    modules.extend(submodules(it, child, seen))
            return modules
    return []


def owned_refs(it: Evaluator, value: Value) -> frozenset[str] | None:
    """Returns the refs of a module and all modules below it; None for a value that is not a known module."""
    modules = submodules(it, value)
    return frozenset(module.ref for module in modules) if modules else None


def freeze_some(it: Evaluator, owners: frozenset[str] | None, requires: Tri) -> None:
    """Records that `requires_grad` is set on some parameters of the modules `owners`.

    If the owners are unknown, `requires_grad` becomes unknown for all modules.
    """
    heap = it.state.heap
    if owners is None:
        it.state.set(heap, ("*", FROZEN), True)
        return
    for owner in sorted(owners):
        ref, _, parameter = owner.rpartition(".")
        if not parameter.isidentifier():
            ref = owner  # the module itself, not one parameter of it
        it.state.set(heap, (ref, GRAD), heap.get((ref, GRAD), Tri.YES).join(requires))


def set_on_submodules(it: Evaluator, value: Value, key: str, entry: object) -> None:
    """Sets an entry of the heap for a module and all modules below it."""
    for module in submodules(it, value):
        it.state.set(it.state.heap, (module.ref, key), entry)


_UNSET: dict[str, object] = {DEVICE: CPU, DTYPE: "f32", TRAINING: Tri.YES}
"""What a module is before anything is set."""


def change(it: Evaluator, module: TorchModule, key: str, entry: object) -> None:
    """Sets the device, dtype or training mode of one module, and records if calls before may have seen another."""
    heap = it.state.heap
    unset = _UNSET[key] if heap.get((module.ref, CALLED)) else entry
    if heap.get((module.ref, key), unset) != entry:
        it.state.set(heap, (module.ref, AGAIN[key]), True)
    it.state.set(heap, (module.ref, key), entry)


def require_grad(it: Evaluator, value: Value, flag: Tri) -> None:
    """Sets `requires_grad` of all parameters of a module and of the modules below it."""
    set_on_submodules(it, value, GRAD, flag)
    for module in submodules(it, value):
        for name in it.state.heap.get((module.ref, ATTRIBUTES), ()):
            tensor = it.state.heap.get((module.ref, name))
            if isinstance(tensor, TensorFact):
                it.state.set(it.state.heap, (module.ref, name), tensor.but(grad=Grad(
                    flag if tensor.provenance == "parameter" else Tri.UNKNOWN, Tri.UNKNOWN
                )))  # fmt: skip


def config_of(it: Evaluator, layer: v.LayerValue) -> dict[str, Value]:
    """Returns the constructor arguments of a layer; sizes are unknown if its parameters may have been replaced."""
    config = dict(layer.config)
    heap = it.state.heap
    for name in heap.get((layer.ref, ATTRIBUTES), ()):
        if name in BEHAVIOUR or name == "kernel_size" and "Pool" in layer.qualname:
            config[name] = heap.get((layer.ref, name), UNKNOWN_VALUE)
    if heap.get((layer.ref, RESIZED)):
        known = layer.qualname.startswith("torch.nn.")
        config.update((name, UNKNOWN_VALUE) for name in tuple(config) if name in _SIZES or not known)
    return config
