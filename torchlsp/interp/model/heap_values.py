"""Creates, reads and forgets the lists, dicts and attributes that the heap holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.core.records import replace
from torchlsp.facts import values as v
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value
from torchlsp.interp.model import classes, store_entries
from torchlsp.interp.store import join
from torchlsp.interp.store.frame import Loop
from torchlsp.interp.store.heap_keys import ATTRIBUTES
from torchlsp.interp.store.possible_objects import blocks_of, one_of
from torchlsp.interp.store.state import MISSING, Names
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.model.heap_access import KnownEntries
    from torchlsp.interp.store.evaluator import Evaluator

_MAX_ENTRIES = 16


def forget_values(it: Evaluator, tensor: TensorFact) -> None:
    """Forgets the elements of a tensor, because unknown code may write to it."""
    if tensor.content is not None:
        storage = replace(tensor.storage, version=tensor.storage.version + 1)
        it.rewrite(tensor, tensor.but(content=None, storage=storage))


def forget_values_of(it: Evaluator, value: Value) -> None:
    """Forgets the elements of all tensors that an unknown value may be."""
    blocks = blocks_of(value)
    if not blocks:
        return

    def forgotten(tensor: TensorFact) -> Value:
        if tensor.content is None or blocks.isdisjoint(tensor.storage.ids or ("",)):
            return tensor
        return tensor.but(content=None)

    store_entries.change_everywhere(it, forgotten)


def open_loop(it: Evaluator) -> Loop | None:
    """Returns the innermost loop around the running code whose iterations are not run one by one."""
    for frame in reversed(it.frames):
        for loop in reversed(frame.loops):
            if not loop.unrolled:
                return loop
    return None


def entry_at(entries: dict[object, Value], index: Value, node: ir.Node) -> Value:
    """Returns the entry of a dict for a key; the join of all entries if the key is not known."""
    if isinstance(index, v.Scalar) and index.is_known:
        return entries.get(index.value, UNKNOWN_VALUE)
    if not entries or len(entries) > _MAX_ENTRIES:
        return one_of(entries)
    return one_more(join.join_all(list(entries.values()), node))


def forget_if_empty(it: Evaluator, ref: str) -> None:
    """Forgets that a container of modules has no children: it is there to be filled."""
    for key in ((ref, "[]"), (ref, "{}")):
        if it.state.heap.get(key) in ((), {}):
            it.state.set(it.state.heap, key, UNKNOWN_VALUE)


def content_key(container: v.ListRef | v.DictRef) -> tuple[str, str]:
    """Returns the heap's key for the content of a list or a dict."""
    return container.ref, "[]" if isinstance(container, v.ListRef) else "{}"


def new_list(it: Evaluator, node: ir.Node, content: tuple[Value, ...] | Value | None) -> v.ListRef:
    """Creates a list.  `content` is a tuple of its items, a Repeated, or None if it is unknown."""
    ref = f"list@{it.frame.site}:{node.start}"
    it.list_loops[ref] = open_loop(it)
    it.state.set(it.state.heap, (ref, "[]"), UNKNOWN_VALUE if content is None else content)
    return v.ListRef(ref)


def new_dict(it: Evaluator, node: ir.Node, entries: KnownEntries | v.Repeated | None) -> v.DictRef:
    """Creates a dict.  `entries` are known entries, a Repeated of the values of unknown keys, or None if all is unknown."""
    ref = f"dict@{it.frame.site}:{node.start}"
    it.state.set(it.state.heap, (ref, "{}"), UNKNOWN_VALUE if entries is None else entries)
    return v.DictRef(ref)


def entries_of(keys: list[Value], values: list[Value]) -> dict[str | int, Value] | None:
    """Returns a dict's entries by the constants of their keys; None if a key is not a known constant."""
    entries: dict[str | int, Value] = {}
    for key, value in zip(keys, values):
        if not isinstance(key, v.Scalar) or not isinstance(key.value, (str, int)):
            return None
        entries[key.value] = value
    return entries


def one_more(element: Value) -> Value:
    """Returns an element as an object of its own: what is later learned of it does not hold of other elements."""
    return element.but() if isinstance(element, TensorFact) else element


def accessor(cls: v.ClassValue, name: str, decorator: str) -> ir.Function | None:
    """Returns the definition of a property's `property` or `setter` part in the class's own body."""
    for item in cls.ir.body:
        if type(item) is ir.Define and item.function.name == name:
            for part in item.function.decorators:
                if getattr(part, "name", getattr(part, "id", None)) == decorator:
                    return item.function
    return None


def children_in_order(it: Evaluator, value: Value) -> tuple[Value, ...] | None:
    """Returns the children of a Sequential or ModuleList, if they are known."""
    if isinstance(value, (v.LayerValue, v.InstanceValue)):
        content = it.state.heap.get((value.ref, "[]"))
        return content if isinstance(content, tuple) else None
    return None


def put_child(it: Evaluator, ref: str, name: str, before: Value, child: Value) -> None:
    """Adds a child to a Sequential or ModuleList by its name; it replaces a child of this name."""
    content = it.state.heap.get((ref, "[]"))
    if not isinstance(content, tuple):
        return
    if name.isdigit() and int(name) < len(content):
        content = (*content[: int(name)], child, *content[int(name) + 1 :])
    elif before is not MISSING and before in content:
        index = content.index(before)
        content = (*content[:index], child, *content[index + 1 :])
    else:
        content = (*content, child)
    it.state.set(it.state.heap, (ref, "[]"), content)


def forget_attributes(it: Evaluator, owner: v.InstanceValue | v.LayerValue | v.ClassValue) -> None:
    """Forgets all attributes of an object and those of its class, any of which code may set by a name that is not known."""
    if isinstance(owner, v.ClassValue):
        return forget_class_attributes(it, owner)
    names = set(it.state.heap.get((owner.ref, ATTRIBUTES), ()))
    bases = classes.mro(owner.cls) if isinstance(owner, v.InstanceValue) else ()
    for base in bases:
        if isinstance(base, v.ClassValue):
            variables = base.scope.variables
            names |= {name for name in variables if not isinstance(variables[name], v.FunctionValue)}
    if isinstance(owner, v.LayerValue):
        names.add("forward")  # of its class, which is torch's
    for name in sorted(names):
        put_attribute(it, owner.ref, name, UNKNOWN_VALUE)
    if (owner.ref, "[]") in it.state.heap:
        it.state.set(it.state.heap, (owner.ref, "[]"), UNKNOWN_VALUE)


def forget_class_attributes(it: Evaluator, cls: v.ClassValue) -> None:
    """Forgets what the body of a class assigns, any of which code may set that is given the class."""
    for name, held in list(cls.scope.variables.items()):
        if not isinstance(held, v.FunctionValue | v.ClassValue):
            it.state.set(cls.scope.variables, name, UNKNOWN_VALUE)


MAX_ENTRIES = 500
"""The number of entries up to which a dict is copied to set one: paths that fork share the others."""


def put_entry(it: Evaluator, ref: str, key: Value, value: Value, node: ir.Node) -> None:
    """Sets an entry of a dict or a ModuleDict; where the key is not known, any entry may be the one that is set."""
    heap = it.state.heap
    entries = heap.get((ref, "{}"), UNKNOWN_VALUE)
    if (
        isinstance(entries, dict)
        and isinstance(key, v.Scalar)
        and isinstance(key.value, (str, int))
        and len(entries) < MAX_ENTRIES
    ):
        it.state.set(heap, (ref, "{}"), {**entries, key.value: value})
    elif isinstance(entries, v.Repeated):
        it.state.set(heap, (ref, "{}"), v.Repeated(join.join(entries.element, value, f"{node.start}.e")))
    else:
        it.state.set(heap, (ref, "{}"), one_of(entries, value))


def put_attribute(it: Evaluator, ref: str, name: str, value: Value) -> None:
    """Sets an attribute of an object in the heap, and appends a new name to its list of attributes."""
    heap = it.state.heap
    names = heap.get((ref, ATTRIBUTES), Names())
    if name not in names:
        it.state.set(heap, (ref, ATTRIBUTES), Names((*names, name)))
    it.state.set(heap, (ref, name), value)
