"""Joins, widens and forgets entries of the store, and gives the meaning of missing ones."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import shape as shapes
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, Device
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes
from torchlsp.interp.model.graph_marks import MARKS, joined_mark
from torchlsp.interp.store import join
from torchlsp.interp.store.builtins import VALUES as _BUILTINS
from torchlsp.interp.store.heap_keys import (
    ATTRIBUTES,
    DEVICE,
    DTYPE,
    FROZEN,
    GRAD,
    MEMORY,
    RESIZED,
    RESUMED,
    TRAINING,
    USED,
)
from torchlsp.interp.store.possible_objects import blocks_of, one_of
from torchlsp.interp.store.state import MISSING, Entry, EqualSizes, Key, Names, Scope, Store

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def joined(
    it: Evaluator, store: Store, key: Key, left: Entry, right: Entry, name: str, cuda: bool = False
) -> Entry:
    """Returns the join of the values that two paths leave in one entry of the store."""
    if left is MISSING:
        left = absent(it, store, key)
    elif right is MISSING:
        right = absent(it, store, key)
    if type(key) is tuple and key[1] in MARKS:
        return joined_mark(left, right)
    if store is it.state.modes or (type(key) is tuple and key[1] in _MARKS):
        return join.join_marks(left, right, cuda)
    return _join(left, right, f"{name}.{key}", cuda)


def widened(it: Evaluator, store: Store, value: Entry) -> Entry:
    """Widens the value of an entry that changes from one iteration to the next."""
    return join.widened(value) if isinstance(value, TensorFact | v.Scalar) else forgotten(it, store, value)


def forgotten(it: Evaluator, store: Store, value: Entry) -> Entry:
    """Returns the unknown value for an entry that has this value."""
    if isinstance(value, Tri):
        return Tri.UNKNOWN
    if isinstance(value, Names | bool | frozenset) or value is MISSING:
        return value
    if isinstance(value, EqualSizes):
        return EqualSizes()
    if store is it.state.modes or isinstance(value, str | Device) or value is None:
        return None
    return one_of(value)


def absent(it: Evaluator, store: Store, key: Key) -> Entry:
    """Returns the value of an entry that is not set: a class attribute, a builtin, the initial state of a module."""
    if store is it.state.heap:
        ref, name = key
        if name in _MARKS:
            return _MARKS[name]
        if not name.isidentifier():
            return MISSING  # state of the interpreter, not of the program
        cls = it.classes.get(ref)
        return MISSING if cls is None else classes.class_default(cls, name)
    if key in _BUILTINS and any(store is info.scope.variables for info in it.by_path.values()):
        return _BUILTINS[key]
    return MISSING


def facts_of(value: Value) -> tuple[object, ...] | None:
    """Returns all facts of a tensor but its storage and origin."""
    if not isinstance(value, TensorFact):
        return None
    return value.shape, value.dtype, value.device, value.layout, value.grad, value.provenance, value.content


_MARKS = {
    DEVICE: CPU,
    DTYPE: "f32",
    GRAD: Tri.YES,
    TRAINING: Tri.YES,
    MEMORY: "row-major",
    FROZEN: False,
    USED: Tri.NO,
    RESUMED: False,
}
"""State of a module beside its attributes, with the value that it has in a new module."""


def _join(left: Entry, right: Entry, name: str, cuda: bool = False) -> Entry:
    """Joins two entries of the store: values, container contents, modes."""
    if left is MISSING:
        return right
    if right is MISSING:
        return left
    if isinstance(left, Names) and isinstance(right, Names):
        return left if left == right else Names((*left, *(name for name in right if name not in left)))
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) == len(right):
            return tuple(join.join(p, q, f"{name}.{i}", cuda) for i, (p, q) in enumerate(zip(left, right)))
        merged = None
        for i, item in enumerate((*left, *right)):
            merged = item if merged is None else join.join(merged, item, f"{name}.{i}")
        return v.Repeated(merged if merged is not None else UNKNOWN_VALUE)
    if isinstance(left, tuple) or isinstance(right, tuple):
        items, other = (left, right) if isinstance(left, tuple) else (right, left)
        if isinstance(other, v.Repeated):
            merged = other.element
            for i, item in enumerate(items):
                merged = join.join(merged, item, f"{name}.{i}")
            return v.Repeated(merged)
        return one_of(left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        if list(left) != list(right):
            return one_of(left, right)  # a dict is known only with all of its keys
        return {key: join.join(left[key], right[key], f"{name}.{key}", cuda) for key in left}
    if isinstance(left, dict) or isinstance(right, dict):
        return one_of(left, right)
    return join.join(left, right, name, cuda)


def rewrite(it: Evaluator, old: TensorFact, new: Value) -> None:
    """Replaces `old` by `new` everywhere, and forgets the shape of what may be the same tensor under another fact."""
    if isinstance(new, TensorFact) and facts_of(old) == facts_of(new):
        return
    reshaped = isinstance(new, TensorFact) and (old.shape, old.layout) != (new.shape, new.layout)
    retyped = isinstance(new, TensorFact) and (old.dtype, old.device) != (new.dtype, new.device)
    written = isinstance(new, TensorFact) and old.storage.version != new.storage.version

    def changed(value: TensorFact) -> Value:
        if value is old:
            return new
        if (reshaped or retyped) and value is not new and _may_be_same(value, old):
            # `x.to(d)` and `x.contiguous()` may be `x` itself
            if reshaped:
                value = value.but(shape=None, layout=None)
            if retyped:
                value = value.but(dtype=None, device=None)
        if written and value.content is not None and value is not new:
            if value.storage.may_share(old.storage) is not Tri.NO:
                return value.but(content=None)
        return value

    change_everywhere(it, changed)


def forget_array_sizes(it: Evaluator, array: v.ArrayValue) -> None:
    """Forgets the sizes and strides of an array that is resized in place, wherever it is held."""
    new = replace(array, shape=None, layout=None)
    it.replace(array, new)
    for key, value in list(it.state.heap.items()):
        if value is array:
            it.state.set(it.state.heap, key, new)


def _may_be_same(a: TensorFact, b: TensorFact) -> bool:
    """Returns whether two facts may be of one tensor: it may be the same memory, and one shape may be the other."""
    shared = a.storage.may_share(b.storage)
    if shared is Tri.NO or a.shape == b.shape:
        return shared is not Tri.NO
    if a.storage.ids is None or b.storage.ids is None or len(a.storage.ids | b.storage.ids) == 1:
        return False  # views of one tensor have other shapes than it
    return shapes.leq(a.shape, b.shape) or shapes.leq(b.shape, a.shape)


def forget_tensors(it: Evaluator, value: Value, written: bool = True, replaced: bool = False) -> None:
    """Forgets what a change through an unknown value may change of tensors: values and gradients.

    Where it is not only `written` to, also their sizes and strides; where the data are `replaced`, all but their memory.
    """
    blocks = blocks_of(value)
    if not blocks:
        return

    def forgotten(tensor: TensorFact) -> Value:
        if blocks.isdisjoint(tensor.storage.ids or ("",)):
            return tensor
        kept = tensor.provenance if tensor.provenance in ("parameter", "buffer") else None
        changed = tensor.but(grad=type(tensor.grad)(), content=None, provenance=kept)
        if not written:
            changed = changed.but(shape=None, layout=None)
        return changed.but(dtype=None, device=None) if replaced else changed

    change_everywhere(it, forgotten)


def forget_sizes_below(it: Evaluator, modules: frozenset[str]) -> None:
    """Forgets the sizes of the parameters of modules: the data of one of them were replaced, and any may be that one."""
    heap = it.state.heap
    held = [heap.get((ref, name)) for ref in modules for name in heap.get((ref, ATTRIBUTES), ())]
    parameters = [one for one in held if isinstance(one, TensorFact) and one.provenance == "parameter"]
    blocks = {block for one in parameters for block in one.storage.ids or ()}

    def forgotten(tensor: TensorFact) -> Value:
        own = tensor.storage.ids or frozenset()
        changed = not blocks.isdisjoint(own) or any(block.rpartition(".")[0] in modules for block in own)
        return tensor.but(shape=None, layout=None) if changed else tensor

    change_everywhere(it, forgotten)
    for ref in modules:
        it.state.set(heap, (ref, RESIZED), True)


def forget_samples(it: Evaluator, dataset: v.DatasetValue) -> None:
    """Forgets what a dataset of a library gives, in everything that holds it: its transforms or data were replaced."""
    change_everywhere(
        it, lambda value: _UNKNOWN_DATASET if value is dataset else _without_fields(value), v.DatasetValue
    )


def forget_fields(it: Evaluator) -> None:
    """Forgets what datasets of libraries hold as attributes: one was replaced, and any may be that one."""
    change_everywhere(it, _without_fields, v.DatasetValue)


def _without_fields(value: Entry) -> v.DatasetValue:
    assert isinstance(value, v.DatasetValue)
    return v.DatasetValue(value.element, value.length) if value.fields else value


_UNKNOWN_DATASET = v.DatasetValue(UNKNOWN_VALUE)


_CONTAINERS = frozenset({tuple, dict, v.TupleValue, v.Repeated})
_FREE_ENTRIES, _ENTRIES_PER_STEP = 500, 20
"""How many entries of a store are looked at for nothing, and how many others take as long as a step."""


def change_everywhere(it: Evaluator, change: Callable[[Entry], Value], changing: type = TensorFact) -> None:
    """Changes tensors, or values of another type, in all names of running functions, in containers and in attributes."""

    def changed(value: Entry) -> Entry:
        kind = type(value)
        if kind is changing:
            return change(value)
        if kind is tuple:
            items = [changed(item) for item in value]
            return value if all(map(is_, items, value)) else tuple(items)
        if kind is dict:
            items = [changed(item) for item in value.values()]
            return value if all(map(is_, items, value.values())) else dict(zip(value, items))
        if kind is v.TupleValue:
            inner = changed(value.items)
            return value if inner is value.items else v.TupleValue(inner, value.names, value.is_size)
        if kind is v.Repeated:
            inner = changed(value.element)
            if inner is value.element:
                return value
            return v.Repeated(join.join(value.element, inner, "changed"), value.length)
        return value

    stores: dict[int, Store] = {id(it.state.heap): it.state.heap}
    for frame in it.frames:
        scope: Scope | None = frame.scope
        while scope is not None:
            stores[id(scope.variables)] = scope.variables
            scope = scope.parent
    for store in stores.values():
        it.steps += max(len(store) - _FREE_ENTRIES, 0) // _ENTRIES_PER_STEP
        for key, value in list(store.items()):
            if type(value) is not changing and type(value) not in _CONTAINERS:
                continue
            new = changed(value)
            if new is not value:
                it.state.set(store, key, new)


def forget_grad_of_aliases(it: Evaluator, before: TensorFact, after: TensorFact) -> None:
    """Forgets `requires_grad` of all tensors that may share memory with one whose in-place write changes it."""
    if before.grad == after.grad:
        return

    def forgotten(value: TensorFact) -> Value:
        if value is not after and value.storage.ids is not None:
            if value.storage.may_share(after.storage) is not Tri.NO:
                return value.but(grad=type(value.grad)())
        return value

    change_everywhere(it, forgotten)
