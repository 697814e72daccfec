"""Counts the parameters of a torch.nn.Module: of all registered submodules, shared ones once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp import ops
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, heap_access, module_tree
from torchlsp.interp.store.heap_keys import ATTRIBUTES, BASE, BUFFERS, OF_ROOT, RESIZED
from torchlsp.ops.call import LayerState

if TYPE_CHECKING:
    from collections.abc import Collection

    from torchlsp.interp.store.evaluator import Evaluator
    from torchlsp.interp.store.recorded import Counting

_MAX_WALKED = 20_000
"""The maximum number of modules that the counts of one root walk: some 50 milliseconds."""

RUNNING_STATISTICS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
"""What the tables of layers list among the parameters, and torch keeps as buffers."""
REGISTERING = frozenset({"add_module", "register_module", "register_parameter"})
"""Methods that may give a module parameters under a name that is not known."""
SETTING = frozenset({"setattr", "__setattr__", "_modules", "_parameters"})
"""Names whose use may give any module parameters that no assignment shows."""
_PLAIN = (
    v.Scalar, v.ListRef, v.DictRef, v.TupleValue, v.FunctionValue, v.DTypeValue, v.DeviceValue, v.External, v.ClassValue,
    v.ArrayValue,
)  # fmt: skip
"""What an attribute may hold that is certainly neither a module nor a parameter."""


def count_parameters(it: Evaluator, module: Value, counting: Counting) -> int | None:
    """Returns the number of parameters of a module; None where not all are known, or where too much was counted before."""
    ref = module.ref if isinstance(module, v.LayerValue | v.InstanceValue | v.Wrapped) else ""
    counting.forget_changed(it.state)
    if ref in counting.known:
        return counting.known[ref]
    if counting.is_closed or counting.walked > _MAX_WALKED:
        return None
    counter = _Counter(it, counting)
    found = counting.known[ref] = sum(counter.found.values()) if counter.add(module) else None
    return found


def container_content(it: Evaluator, layer: v.LayerValue) -> Value:
    """Returns the children of a container; unknown where not all are known."""
    items, entries = heap_access.items_at(it, layer.ref), heap_access.entries_at(it, layer.ref)
    if isinstance(items, tuple):
        return v.TupleValue(items)
    if isinstance(entries, dict):
        return v.DictValue(tuple(entries.items()))
    return UNKNOWN_VALUE


def is_counted(module: Value) -> bool:
    """Returns whether a value is a module that is more than a single layer of torch."""
    if type(module) is v.LayerValue:
        return module.qualname in module_tree.CONTAINERS
    if type(module) is v.InstanceValue:
        return classes.is_module(module.cls)
    return type(module) is v.Wrapped and isinstance(module.module, v.LayerValue | v.InstanceValue)


def is_set_on_some_paths(it: Evaluator, value: Value) -> bool:
    """Returns whether the statement that runs sets an attribute to a module or a parameter on some paths only."""
    if isinstance(value, _PLAIN):
        return False
    receiver = it.frame.receiver
    for frame in reversed(it.frames):
        if frame.receiver != receiver:
            return False
        if frame.conditional or any(not loop.unrolled for loop in frame.loops):
            return True
    return False


class _Counter:
    """Adds up the parameters of modules; each method returns whether all of them are known."""

    def __init__(self, it: Evaluator, counting: Counting) -> None:
        self._it, self._counting = it, counting
        self.found: dict[str, int] = {}
        """The number of elements of each parameter, by the memory that it lives in."""
        self._stored: set[str] = set()
        """Those that are set as attributes."""
        self._seen: set[str] = set()

    def add(self, value: Value) -> bool:
        self._counting.walked += 1
        if self._counting.walked > _MAX_WALKED:
            return False
        match value:
            case v.Wrapped(module=module):
                return self.add(module)
            case v.LayerValue(ref=ref) | v.InstanceValue(ref=ref) if ref in self._seen:
                return True
            case v.LayerValue(ref=ref):
                self._seen.add(ref)
                return not heap_access.may_be_changed(self._it, ref) and self._add_layer(value)
            case v.InstanceValue(ref=ref):
                self._seen.add(ref)
                return not heap_access.may_be_changed(self._it, ref) and self._add_instance(value)
        return False

    def _add_layer(self, layer: v.LayerValue) -> bool:
        if layer.qualname in module_tree.CONTAINERS:
            return self._add_children(layer.ref) and self._add_attributes(layer.ref, ())
        known = self._counting.layers.get(layer.ref)
        if known is None or known[0] is not layer:
            known = self._counting.layers[layer.ref] = layer, _sizes(layer)
        heap, own = self._it.state.heap, known[1]
        if own is None or heap.get((layer.ref, RESIZED)):
            return False
        if not heap.get((layer.ref, ATTRIBUTES)):
            self.found.update(own)
            return True
        prefix = len(layer.ref) + 1
        self.found.update(
            {memory: size for memory, size in own.items() if (layer.ref, memory[prefix:]) not in heap}
        )
        return self._add_attributes(layer.ref, RUNNING_STATISTICS)

    def _add_instance(self, instance: v.InstanceValue) -> bool:
        cls, ref, heap = instance.cls, instance.ref, self._it.state.heap
        if ref.startswith(OF_ROOT) or ref in self._counting.registering:
            return False
        seen = self._counting.classes.get(cls.ref)
        if seen is None or seen[0] is not cls:
            seen = self._counting.classes[cls.ref] = cls, _shows_its_parameters(cls)
        if not seen[1]:
            return False
        layer = heap.get((ref, BASE))
        if isinstance(layer, v.LayerValue):
            if not self._add_layer(layer):
                return False
        elif any(isinstance(base, v.External) and base.name not in _BASES for base in classes.mro(cls)):
            return False  # a layer whose `__init__` was not seen
        has_children = (ref, "[]") in heap or (ref, "{}") in heap
        if has_children and not self._add_children(ref):
            return False
        return self._add_attributes(ref, heap.get((ref, BUFFERS), ()))

    def _add_children(self, ref: str) -> bool:
        items, entries = heap_access.items_at(self._it, ref), heap_access.entries_at(self._it, ref)
        if isinstance(items, tuple):
            return all(map(self._add_held, items))
        return isinstance(entries, dict) and all(map(self._add_held, entries.values()))

    def _add_attributes(self, ref: str, buffers: Collection[str]) -> bool:
        heap = self._it.state.heap
        for name in heap.get((ref, ATTRIBUTES), ()):
            if name in self._counting.uncertain:
                return False
            if name not in buffers and not self._add_held(heap.get((ref, name), UNKNOWN_VALUE)):
                return False
        return True

    def _add_held(self, value: Value) -> bool:
        """Adds what an attribute or an item holds, if it is a module or a parameter."""
        if isinstance(value, TensorFact):
            if value.grad.leaf is Tri.NO:
                return True  # computed
            is_passed = value.assumed or value.origin is not None and value.origin.op == "parameter"
            if value.provenance != "parameter":
                return not is_passed and value.grad.requires is Tri.NO
            return self._add_parameter(value)
        if isinstance(value, v.InstanceValue) and not classes.is_module(value.cls):
            return not classes.has_unknown_base(value.cls)
        return isinstance(value, _PLAIN) or self.add(value)

    def _add_parameter(self, fact: TensorFact) -> bool:
        """Adds a parameter that was set as an attribute.

        Two of them in one memory may be the same one, or two parameters made of one tensor.
        """
        size, ids = shapes.numel(fact.shape), fact.storage.ids
        if not isinstance(size, int) or ids is None or len(ids) != 1:
            return False
        (memory,) = ids
        if memory in self._stored or self.found.get(memory, size) != size:
            return False
        self._stored.add(memory)
        self.found[memory] = size
        return True


_BASES = frozenset(
    {"torch.nn.Module", "torch.nn.Sequential", "torch.nn.ModuleList", "builtins.object", "abc.ABC"}
)


def _sizes(layer: v.LayerValue) -> dict[str, int] | None:
    """Returns the number of elements of each parameter of a layer of torch by the memory that it lives in; None where unknown."""
    row = ops.layer(layer.qualname)
    if row is None or not layer.qualname.startswith("torch.nn."):
        return None
    if row.parameters is None:
        return None if row.owns_parameters else {}
    if not all(_is_known(given) for name, given in layer.config if name not in ("device", "dtype")):
        return None
    found: dict[str, int] = {}
    for name, shape in row.parameters(LayerState(dict(layer.config))).items():
        if name in RUNNING_STATISTICS:
            continue
        size = shapes.numel(shape)
        if not isinstance(size, int):
            return None
        found[f"{layer.ref}.{name}"] = size
    return found


def _is_known(value: Value) -> bool:
    match value:
        case v.Scalar(kind="none" | "str" | "float"):
            return True
        case v.Scalar(kind="int" | "bool", value=known):
            return isinstance(known, int)
        case v.TupleValue(items=items):
            return all(map(_is_known, items))
    return isinstance(value, v.External)


def _shows_its_parameters(cls: v.ClassValue) -> bool:
    """Returns whether assignments show all parameters of the objects of a class."""
    if not classes.is_module(cls) or classes.has_unknown_base(cls):
        return False
    own = [base.ir for base in classes.mro(cls) if isinstance(base, v.ClassValue)]
    return not any(base.decorators or base.keywords for base in own)
