"""Collects the objects that a value of which nothing else is known may be, so that changes through it reach them."""

from __future__ import annotations

from torchlsp.facts import values as v
from torchlsp.facts.tensor import Storage, TensorFact
from torchlsp.facts.values import UNKNOWN_VALUE, Value

_DEPTH = 6
"""How deep values are searched; deeper nesting is not written by hand."""


def one_of(*values: object) -> v.Unknown:
    """Returns the unknown value that may be, or hold, each object in some values, contents of containers included."""
    latest, known = _latest
    first = values[0] if values else None
    # What grows with each branch or iteration is the first of the values, and was made last.
    if type(first) is v.OneOf and first.objects is latest:
        found, values = dict(known), values[1:]
    else:
        found = {}
    for value in values:
        _collect(value, found, 0)
    if not found:
        return UNKNOWN_VALUE
    objects = tuple(map(found.__getitem__, sorted(found)))
    if len(objects) > _FEW_OBJECTS:
        _keep(objects, found)
    return v.OneOf(objects=objects)


def one_list_of(a: object, b: object) -> v.OneOf | None:
    """Returns the value that is one of a few lists, where both values are lists or such values; else None."""
    found: dict[str, Value] = {}
    for value in (a, b):
        if isinstance(value, v.ListRef):
            found[value.ref] = value
        elif type(value) is v.OneOf and value.is_list:
            found.update({one.ref: one for one in value.objects if isinstance(one, v.ListRef)})
        else:
            return None
    if len(found) > _FEW_OBJECTS:
        return None
    return v.OneOf(objects=tuple(map(found.__getitem__, sorted(found))), is_list=True)


_FEW_OBJECTS = 20
_latest: tuple[tuple[Value, ...], dict[str, Value]] = ((), {})
"""The last many objects that were collected, by their refs."""


def _keep(objects: tuple[Value, ...], found: dict[str, Value]) -> None:
    global _latest
    _latest = objects, found


def objects_of(value: Value) -> tuple[Value, ...]:
    """Returns the objects that an unknown value may be."""
    return value.objects if isinstance(value, v.OneOf | v.Parameter) else ()


def blocks_of(value: Value) -> frozenset[str]:
    """Returns the memory blocks that an unknown value may be a tensor in; "" is unknown memory."""
    return frozenset([one.ref for one in objects_of(value) if isinstance(one, v.Block)])


def refs_of(value: Value) -> frozenset[tuple[bool, str]]:
    """Returns the references of the objects that an unknown value may be; whether each is a memory block comes first."""
    return frozenset([(isinstance(one, v.Block), getattr(one, "ref", "")) for one in objects_of(value)])


def storage_of(value: Value, name: str) -> Storage:
    """Returns the storage of an unknown value that is a tensor: of one that it may be, or another of this name."""
    blocks = blocks_of(value)
    return Storage(None if "" in blocks else blocks | {name})


def may_be_tensor_only(value: Value) -> bool:
    """Returns whether nothing is known of a value but tensors that it may be."""
    return type(value) is v.Unknown or (
        type(value) is v.OneOf and all(isinstance(one, v.Block) for one in value.objects)
    )


def _collect(value: object, found: dict[str, Value], depth: int) -> None:
    if depth > _DEPTH:
        return
    inner: object = ()
    match value:
        case v.ListRef(ref=ref) | v.DictRef(ref=ref) | v.InstanceValue(ref=ref) | v.LayerValue(ref=ref):
            found.setdefault(ref, value)
        case v.Block(ref=block):
            found.setdefault(f"memory {block}", value)
        case TensorFact(storage=storage):
            for block in storage.ids or ("",):
                found.setdefault(f"memory {block}", v.Block(block))
        case v.OneOf(objects=objects) | v.Parameter(objects=objects):
            inner = objects
        case v.TupleValue(items=items):
            inner = items
        case tuple():
            inner = value
        case dict():
            inner = tuple(value.values())
        case v.DictValue(entries=entries):
            inner = tuple(one for _, one in entries)
        case v.Repeated(element=element):
            inner = (element,)
        case v.Wrapped(module=module):
            inner = (module,)
        case v.BoundExternal(receiver=receiver) | v.FunctionValue(receiver=receiver) if receiver is not None:
            inner = (receiver,)
        case v.PartialValue(function=function, args=args, kwargs=kwargs):
            inner = (function, *args, *(one for _, one in kwargs))
    if isinstance(inner, tuple):
        for one in inner:
            _collect(one, found, depth + 1)
