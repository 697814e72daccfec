"""Joins values where paths meet, and widens them in loops."""

from __future__ import annotations

from typing import Union, overload

from torchlsp.facts import dim as dims
from torchlsp.facts import tensor as tensors
from torchlsp.facts import values as v
from torchlsp.facts.device import CPU, CUDA, CUDA_IF_AVAILABLE, Device
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.facts.values import UNKNOWN_VALUE, Mode, Value
from torchlsp.interp.store.possible_objects import one_list_of, one_of, refs_of
from torchlsp.interp.store.state import MISSING, EqualSizes
from torchlsp.ops.libraries.optim import ANY_OPTIMIZER, OPTIMIZERS, TAKES_CLOSURE
from torchlsp.program import ir

Entry = Union[Value, Tri, Device]
"""A value, or state that the heap keeps of a module beside its attributes."""


@overload
def join(a: Value, b: Value, name: str, cuda: bool = False) -> Value: ...
@overload
def join(a: Entry, b: Entry, name: str, cuda: bool = False) -> Entry: ...
def join(a: Entry, b: Entry, name: str, cuda: bool = False) -> Entry:
    """Returns the least value above both.  `name` is part of the names of fresh sizes.

    With `cuda`, `a` holds where CUDA is available and `b` where it is not: a CUDA device and the CPU become *CUDA if
    available*.
    """
    if a is b or a == b:
        return a
    if a is MISSING:
        return b
    if b is MISSING:
        return a
    if isinstance(a, Tri) and isinstance(b, Tri):
        return a.join(b)
    if cuda:
        related = _by_availability(a, b, name)
        if related is not None:
            return related
    if isinstance(a, TensorFact) and isinstance(b, TensorFact):
        return tensors.join(a, b, name)
    match a, b:
        case v.Scalar(kind=kind, value=x, annotated=p), v.Scalar(kind=other, value=y, annotated=q) if (
            kind == other
        ):
            size = dims.join(x, y, name) if kind == "int" and x is not None and y is not None else None
            return v.Scalar(kind, size, annotated=p or q)
        case v.RankValue(), v.Scalar(kind="int"):
            return a  # `return 0` where nothing is distributed: it is still the rank
        case v.Scalar(kind="int"), v.RankValue():
            return b
        case (v.Condition(kind="group"), v.Scalar(kind="bool")) | (
            v.Scalar(kind="bool"),
            v.Condition(kind="group"),
        ):
            return v.Scalar("bool")
        case v.Condition(), v.Scalar(kind="bool"):
            return a
        case v.Scalar(kind="bool"), v.Condition():
            return b
        case v.TupleValue(items=x), v.TupleValue(items=y) if len(x) == len(y):
            items = tuple(join(p, q, f"{name}.{i}", cuda) for i, (p, q) in enumerate(zip(x, y)))
            return v.TupleValue(items, a.names if a.names == b.names else (), a.is_size and b.is_size)
        case v.ArrayValue(), v.ArrayValue():
            from torchlsp.facts import shape as shapes

            dtype = a.dtype if a.dtype == b.dtype else None
            return v.ArrayValue(
                shapes.join(a.shape, b.shape, name), dtype, a.storage.join(b.storage), a.origin
            )
        case v.Repeated(element=x, length=m), v.Repeated(element=y, length=n):
            return v.Repeated(join(x, y, f"{name}.e", cuda), m if m == n else None)
        case (v.Wrapped(module=inner), other) | (other, v.Wrapped(module=inner)) if inner == other:
            return inner  # wrapped or not, it computes the same result
        case v.LayerValue(), v.LayerValue() if a.ref == b.ref and a.qualname == b.qualname:
            # created by one expression at different times
            if [key for key, _ in a.config] == [key for key, _ in b.config]:
                pairs = zip(a.config, b.config)
                config = tuple((key, join(p, q, f"{name}.{key}", cuda)) for (key, p), (_, q) in pairs)
                return v.LayerValue(a.ref, a.qualname, config, a.origin)
        case v.External(name=x), v.External(name=y) if _is_optimizer(x) and _is_optimizer(y):
            return v.External(ANY_OPTIMIZER)
        case v.OptimizerValue(), v.OptimizerValue():
            return _either_optimizer(a, b)
        case v.Moved(tensor=x), v.Moved(tensor=y) if x.device == y.device:
            return v.Moved(tensor=TensorFact(device=x.device, origin=x.origin))
        case v.ParametersOf(), v.ParametersOf():
            both = None if a.owns is None or b.owns is None else a.owns | b.owns
            return v.ParametersOf(both, a.named and b.named, a.ref if a.ref == b.ref else "", False)
        case v.DatasetValue(), v.DatasetValue() if a.element == b.element and a.length == b.length:
            pairs = zip(a.fields, b.fields)  # of the training data, or of the test data
            fields = tuple(
                (one, join(x, y, f"{name}.{one}")) for (one, x), (other, y) in pairs if one == other
            )
            return v.DatasetValue(a.element, a.length, fields)
        case v.DTypeValue(), v.DTypeValue():
            return v.DTypeValue(None, a.numpy and b.numpy)
        case v.DeviceValue(), v.DeviceValue():
            return v.DeviceValue(None, a.of if a.of == b.of else "")
        case (v.DeviceValue(of=""), v.Scalar(kind="str")) | (v.Scalar(kind="str"), v.DeviceValue(of="")):
            return v.DeviceValue(None)
    return one_list_of(a, b) or one_of(a, b)


EITHER = "|"
"""Separates the refs in the ref of an optimizer that is one of several."""


def _is_optimizer(name: str) -> bool:
    return name == ANY_OPTIMIZER or name in OPTIMIZERS and name not in TAKES_CLOSURE


def _either_optimizer(a: v.OptimizerValue, b: v.OptimizerValue) -> Value:
    """Joins optimizers over the same parameters: `Adam(...) if fast else SGD(...)`."""
    same = a.owns == b.owns and (a.owns is not None or a.unseen and a.unseen == b.unseen)
    if not same or not {a.qualname, b.qualname}.isdisjoint(TAKES_CLOSURE):
        return UNKNOWN_VALUE
    refs = EITHER.join(sorted({*a.ref.split(EITHER), *b.ref.split(EITHER)}))
    name = a.qualname if a.qualname == b.qualname else ANY_OPTIMIZER
    label = a.label if a.label == b.label else "optimizer"
    return v.OptimizerValue(refs, name, a.owns, label, a.origin, a.unseen)


def join_series(values: list[Value], name: str) -> Value:
    """Returns the join of some values, in proportion to their number: of an unknown value only the objects are collected."""
    result = values[0]
    for number, value in enumerate(values):
        if type(result) is v.Unknown or type(result) is v.OneOf and not result.is_list:
            others = [one for one in values[number:] if one != result]
            return one_of(result, *others) if others else result
        result = join(result, value, name)
    return result


def join_all(items: list[Value], node: ir.Node) -> Value:
    """Returns the join of several values, unknown for none; fresh sizes are named by the node."""
    result = items[0] if items else UNKNOWN_VALUE
    for i, value in enumerate(items[1:]):
        result = join(result, value, f"{node.start}.{i}")
    return result


def join_marks(a: Mode, b: Mode, cuda: bool = False) -> Mode:
    """Joins modes, and state of a module beside its attributes: None, or UNKNOWN, where the two differ."""
    if a is b or a == b:
        return a
    if isinstance(a, Tri) and isinstance(b, Tri):
        return a.join(b)
    if isinstance(a, bool) and isinstance(b, bool):
        return True  # something was frozen, or is assumed, on one of the paths
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a | b
    if isinstance(a, EqualSizes) and isinstance(b, EqualSizes):
        return a.in_both(b)
    if cuda and isinstance(a, Device) and isinstance(b, Device) and {a.kind, b.kind} == {"cuda", "cpu"}:
        return CUDA_IF_AVAILABLE
    return Tri.UNKNOWN if isinstance(a, Tri) or isinstance(b, Tri) else None


def _device_of(value: Entry) -> Device | None:
    match value:
        case v.DeviceValue(device=device):
            return device
        case v.Scalar(kind="str", value=str(text)):
            from torchlsp.facts.device import parse

            return parse(text)
        case v.Scalar(kind="int", value=int(index)):
            return Device("cuda", index)
    return None


def _by_availability(a: Entry, b: Entry, name: str) -> Entry | None:
    """Joins a value of a path with CUDA and one of a path without; None where they do not depend on CUDA."""
    if isinstance(a, Device) and isinstance(b, Device):
        return CUDA_IF_AVAILABLE if {a.kind, b.kind} == {"cuda", "cpu"} else None
    if isinstance(a, TensorFact) and isinstance(b, TensorFact):
        if a.device is not None and b.device is not None:
            # "CUDA if available" is CUDA on the first path and the CPU on the second
            there = CUDA if a.device.relative else a.device
            not_there = CPU if b.device.relative else b.device
            if there == not_there:
                return tensors.join(a.but(device=there), b.but(device=there), name)
            if {there.kind, not_there.kind} == {"cuda", "cpu"}:
                return tensors.join(a.but(device=CUDA_IF_AVAILABLE), b.but(device=CUDA_IF_AVAILABLE), name)
        return None
    one, other = _device_of(a), _device_of(b)
    if one is not None and other is not None and {one.kind, other.kind} == {"cuda", "cpu"}:
        return v.DeviceValue(CUDA_IF_AVAILABLE, _kind_of(a, b))
    # The path with CUDA comes first; the other one may choose among further accelerators.
    if one is not None and one.kind == "cuda" and not one.relative and _may_be_device(b):
        return v.DeviceValue(CUDA_IF_AVAILABLE, _kind_of(a, b))
    return None


def _kind_of(a: Entry, b: Entry) -> str:
    made = {value.of if isinstance(value, v.DeviceValue) else "" for value in (a, b)}
    return "device" if made == {"device"} else ""


def _may_be_device(value: Entry) -> bool:
    return isinstance(value, v.DeviceValue) or isinstance(value, v.Scalar) and value.kind == "str"


def leq(a: Value, b: Value) -> bool:
    """Returns whether `b` is at least as general as `a`."""
    if a is b or a == b or b == UNKNOWN_VALUE:
        return True
    if isinstance(a, TensorFact) and isinstance(b, TensorFact):
        return tensors.leq(a, b)
    if type(b) is v.OneOf:
        is_list = isinstance(a, v.ListRef) or type(a) is v.OneOf and a.is_list
        return refs_of(one_of(a)) <= refs_of(b) and (is_list or not b.is_list)
    match a, b:
        case v.Scalar(kind=x), v.Scalar(kind=y, value=value) if x == y:
            return value is None or (x == "int" and dims.is_fresh(value))
        case v.TupleValue(items=x), v.TupleValue(items=y) if len(x) == len(y):
            return all(leq(p, q) for p, q in zip(x, y))
        case v.Repeated(element=x), v.Repeated(element=y, length=None):
            return leq(x, y)
    return False


def widened(value: Value) -> Value:
    """Widens a value that changes from one iteration to the next: a tensor keeps its dtype and device."""
    if isinstance(value, TensorFact):
        return TensorFact(
            dtype=value.dtype,
            device=value.device,
            assumed=value.assumed,
            origin=value.origin,
            storage=tensors.ANY_STORAGE,
        )
    if isinstance(value, v.Scalar) and value.kind in ("int", "float", "bool", "str"):
        return v.Scalar(value.kind, annotated=value.annotated)
    return one_of(value)
