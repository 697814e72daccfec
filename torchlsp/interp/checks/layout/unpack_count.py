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

_CUTTING = frozenset({"chunk", "split", "tensor_split", "split_with_sizes", "unbind"})
"""Operators that cut a tensor into parts."""


def report_unpacking(
    it: Evaluator, source: ir.Node | None, target: ir.Display, value: v.Value, items: tuple[v.Value, ...]
) -> None:
    """Reports values that are unpacked into another number of names. `source` is None for the items of a loop.

    If one operator gave all the values, it is the `maker`, of the tensor `input`. Lists are reported where all their items are
    tensors, as those of a batch: others may be filled elsewhere.
    """
    of_shape = None
    if isinstance(value, v.TupleValue) and value.is_size:
        of_shape = _tensor_of_shape(it, source)
        if of_shape is None or of_shape.assumed:
            return
    elif isinstance(value, v.ListRef):
        if not items or not all(isinstance(item, TensorFact) for item in items):
            return
    elif not isinstance(value, v.TupleValue):
        return
    place = source or target
    origins = [item.origin if isinstance(item, TensorFact) else None for item in items]
    origin = origins[0] if origins else None
    data: list[tuple[str, object]] = [
        ("value", value), ("expected", len(target.items)), ("got", len(items)), ("shape_of", of_shape),
        ("in_loop", source is None), ("first", origin),
    ]  # fmt: skip
    path, called, maker = it.frame.module.path, None, ""
    if origin is not None and origin.parents and all(_comes_from(item, origin) for item in items):
        maker = origin.op
        data += [("maker", maker), ("input", origin.parents[0])]
        if source is not None and (origin.start, origin.end) == (source.start, source.end):
            called = _called(it, source, origin.op, origin.parents[0])
    data.append(("is_cut", maker.rpartition(".")[2] in _CUTTING))
    it.report(
        [Fault(FaultKind.UNPACK, place.start, place.end, "unpack", tuple(data), path=path, called=called)]
    )


def report_unpacked_tensor(
    it: Evaluator, source: ir.Node | None, target: ir.Display, tensor: TensorFact
) -> None:
    """Reports a tensor that is unpacked into another number of names than its first size: the state of a GRU as `(h, c)`."""
    first = tensor.shape[0] if tensor.shape else None
    if type(first) is not int or tensor.assumed:
        return
    place = source or target
    data: tuple[tuple[str, object], ...] = (
        ("value", tensor), ("expected", len(target.items)), ("got", first), ("shape_of", None), ("in_loop", source is None),
        ("first", tensor.origin), ("is_cut", False),
    )  # fmt: skip
    it.report([Fault(FaultKind.UNPACK, place.start, place.end, "unpack", data, path=it.frame.module.path)])


def _tensor_of_shape(it: Evaluator, source: ir.Node | None) -> TensorFact | None:
    """Returns the tensor of `x.shape` or `x.size()`; None for other expressions."""
    node = source.function if type(source) is ir.Call and not source.args else source
    if type(node) is not ir.Attribute or node.name not in ("shape", "size") or not is_plain(node.object):
        return None
    tensor = it.eval(node.object)
    return tensor if isinstance(tensor, TensorFact) else None


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
