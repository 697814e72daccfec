"""Gives a function the arguments, and an object the attributes, that a recorded run has seen.

What the program itself says goes before what was observed: only what is unknown is filled in, and where the two contradict each
other, the observed value is left out and the contradiction is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from torchlsp.facts import values as v
from torchlsp.facts.tensor import ANY_STORAGE, Origin, Storage, TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import module_tree
from torchlsp.interp.store.entry_facts import (
    EntryDict,
    EntryFacts,
    EntryList,
    EntryTuple,
    EntryValue,
)
from torchlsp.interp.store.heap_keys import DEVICE, DTYPE
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.run.interpreter import Interpreter
    from torchlsp.interp.store.frame import Frame

Kind = TypeVar("Kind")

OBSERVED = frozenset({"observed"})
"""What facts of a recorded run assume."""


def give_arguments(it: Interpreter, frame: Frame, function: ir.Function, entry: EntryFacts) -> None:
    """Fills in the observed arguments of the function that a frame is about to run."""
    variables = frame.scope.variables
    for param in function.params:
        observed = entry.parameters.get(param.name)
        if observed is None:
            continue
        origin = Origin(param.start, param.start + len(param.name), "parameter")
        value = _in_heap(it, observed, f"{param.name}@{param.start}", origin)
        variables[param.name] = _refined(
            it, f"{function.qualname}({param.name})", variables[param.name], value
        )
    if entry.grad is not Tri.YES:
        it.state.set(it.state.modes, "grad", entry.grad)
    if entry.autocast is not Tri.NO:
        it.state.set(it.state.modes, "autocast", entry.autocast)
    it.state.set(it.state.modes, "grad_assumed", False)


def give_attributes(
    it: Interpreter, instance: v.InstanceValue, function: ir.Function, entry: EntryFacts
) -> None:
    """Fills in the observed attributes of the object whose method is about to run, and where its layers are."""
    heap = it.state.heap
    if entry.dtypes and entry.dtypes != {"f32"}:
        module_tree.set_on_submodules(it, instance, DTYPE, _only(entry.dtypes))
    if entry.devices and (instance.ref, DEVICE) not in heap:
        module_tree.set_on_submodules(it, instance, DEVICE, _only(entry.devices))
    for name, observed in entry.attributes.items():
        value = _in_heap(it, observed, f"{name}@{instance.ref}", None)
        known = heap.get((instance.ref, name), UNKNOWN_VALUE)
        refined = _refined(it, f"{function.qualname}(self.{name})", known, value)
        if refined is not known:
            it.state.set(heap, (instance.ref, name), refined)


def _in_heap(it: Interpreter, observed: EntryValue, ref: str, origin: Origin | None) -> Value:
    """Returns an observed value, whose lists and dicts are created in the heap under names that begin with `ref`."""
    if type(observed) is TensorFact:
        return observed.but(storage=Storage(frozenset({ref})), assumed=OBSERVED, origin=origin)
    if type(observed) is EntryTuple:
        items = (_in_heap(it, item, f"{ref}.{i}", origin) for i, item in enumerate(observed.items))
        return v.TupleValue(tuple(items), is_size=observed.is_size)
    if type(observed) is EntryList:
        if observed.items is None:
            content: Value | tuple[Value, ...] = v.Repeated(
                _in_heap(it, observed.element, f"{ref}.*", origin)
            )
        else:
            content = tuple(_in_heap(it, item, f"{ref}.{i}", origin) for i, item in enumerate(observed.items))
        it.list_loops[ref] = None
        it.state.set(it.state.heap, (ref, "[]"), content)
        return v.ListRef(ref)
    if type(observed) is EntryDict:
        entries = {key: _in_heap(it, item, f"{ref}.{key}", origin) for key, item in observed.entries}
        it.state.set(it.state.heap, (ref, "{}"), entries)
        return v.DictRef(ref)
    assert not isinstance(observed, EntryTuple | EntryList | EntryDict)
    return observed


def _refined(it: Interpreter, name: str, known: Value, observed: Value) -> Value:
    """Returns a known value with what the run adds to it."""
    if isinstance(observed, v.Unknown):
        return known
    if isinstance(known, v.Unknown | v.Parameter) or _is_unknown_number(known, observed):
        return observed
    if isinstance(known, v.Repeated) and isinstance(observed, v.TupleValue):
        return observed
    if type(known) is v.DictRef and type(observed) is v.DictRef:
        is_open = it.state.heap.get((known.ref, "{}"), UNKNOWN_VALUE) is UNKNOWN_VALUE
        return observed if is_open else known
    if type(known) is TensorFact and type(observed) is TensorFact:
        met = _met(known, observed)
        if met is not None:
            return met
    elif isinstance(known, v.Scalar) and isinstance(observed, v.Scalar):
        if known.kind == observed.kind and known.value in (None, observed.value):
            return known
    elif type(known) is type(observed):
        return known
    it.analysis.contradicted.append(name)
    return known


def _is_unknown_number(known: Value, observed: Value) -> bool:
    if not isinstance(known, v.Scalar) or not isinstance(observed, v.Scalar) or known.kind != observed.kind:
        return False
    return known.kind == "int" and not isinstance(known.value, int) or not known.is_known


def _met(known: TensorFact, observed: TensorFact) -> TensorFact | None:
    """Returns what holds of a tensor of which both are true; None where that is impossible.

    A column that differed between calls stays unknown, whatever the program seems to say of it.
    """
    if known.shape is not None and observed.shape is not None and len(known.shape) != len(observed.shape):
        return None
    if known.dtype is not None and observed.dtype is not None and known.dtype != observed.dtype:
        return None
    if known.device is not None and observed.device is not None and known.device.kind != observed.device.kind:
        return None
    for size, seen in zip(known.shape or (), observed.shape or ()):
        if type(size) is int and type(seen) is int and size != seen:
            return None
    takes_layout = known.layout is None or "layout" in known.assumed
    return TensorFact(
        shape=observed.shape,
        dtype=observed.dtype,
        device=observed.device,
        layout=observed.layout if takes_layout else known.layout,
        grad=observed.grad,
        storage=observed.storage if known.storage == ANY_STORAGE else known.storage,
        assumed=(known.assumed - {"layout", "tensor"} if takes_layout else known.assumed) | OBSERVED,
        provenance=known.provenance,
        origin=known.origin or observed.origin,
        content=known.content,
    )


def _only(values: frozenset[Kind]) -> Kind | None:
    """Returns the value of a set that has no other; None where it has several."""
    return next(iter(values)) if len(values) == 1 else None
