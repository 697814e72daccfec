"""Describes an unpacking of another number of values than there are names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Called, Fault, FaultKind
from torchlsp.facts.tensor import Origin, TensorFact
from torchlsp.interp.model.call_records import record_of_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir
from torchlsp.program.reading import is_plain

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator


def unpack_fault(it: Evaluator, source: ir.Node, value: v.TupleValue, expected: int) -> Fault:
    """Returns the fault of an unpacking.  If one operator gave all the values, it is the `maker`, of the tensor `input`."""
    got = len(value.items)
    first = value.items[0] if value.items else None
    origin = first.origin if isinstance(first, TensorFact) else None
    data: list[tuple[str, object]] = [("value", value), ("expected", expected), ("got", got)]
    path, called = it.frame.module.path, None
    if origin is not None and origin.parents and all(_comes_from(item, origin) for item in value.items):
        data += [("maker", origin.op), ("input", origin.parents[0])]
        if (origin.start, origin.end) == (source.start, source.end):
            called = _called(it, source, origin.op, origin.parents[0])
    return Fault(FaultKind.UNPACK, source.start, source.end, "unpack", tuple(data), path=path, called=called)


def _comes_from(value: v.Value, origin: Origin) -> bool:
    """Returns whether the same call gave a value."""
    if not isinstance(value, TensorFact) or value.origin is None:
        return False
    return (value.origin.op, value.origin.start, value.origin.path) == (origin.op, origin.start, origin.path)


def _called(it: Evaluator, source: ir.Node, name: str, tensor: TensorFact) -> Called | None:
    """Returns the call that gave the values, if its other arguments may be evaluated once more."""
    if type(source) is not ir.Call:
        return None
    others = source.args if name.startswith("Tensor.") else source.args[1:]
    keywords = [(key, value) for key, value in source.keywords if key not in ("input", "tensor")]
    if not all(is_plain(one) for one in (*others, *(value for _, value in keywords))):
        return None
    values = tuple((key, it.eval(value)) for key, value in keywords if key is not None)
    return record_of_call(it, name, Arguments((tensor, *(it.eval(one) for one in others)), values))
