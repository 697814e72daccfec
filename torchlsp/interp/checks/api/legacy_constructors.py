"""Detects constructors older than `torch.tensor`, such as `torch.FloatTensor`.

Integer arguments are sizes, any other argument is data, and the class determines the dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import OF_ANY_CLASS, TensorFact
from torchlsp.facts.values import Value
from torchlsp.interp.checks.hooks import Hooks, for_names
from torchlsp.interp.model.call_records import with_call
from torchlsp.ops.signature import Arguments
from torchlsp.program import ir

if TYPE_CHECKING:
    from torchlsp.interp.store.evaluator import Evaluator

_DTYPES = {
    "Float": "f32", "Double": "f64", "Half": "f16", "BFloat16": "bf16", "Byte": "u8", "Char": "i8", "Short": "i16", "Int": "i32",
    "Long": "i64", "Bool": "bool",
}  # fmt: skip
CONSTRUCTORS: dict[str, str] = {
    "torch.Tensor": "f32",
    **{f"torch.{place}{kind}Tensor": dtype for place in ("", "cuda.") for kind, dtype in _DTYPES.items()},
}
"""Each constructor with the dtype of its result; that of `torch.Tensor` is the default dtype."""
_RANGES = {
    "u8": (-255, 2**8 - 1),
    **{f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
}
"""The integers that can be converted to a dtype; negative ones wrap around in uint8 (measured on torch 2.13)."""
_MAX_DEPTH = 4
_Data = tuple[tuple[str, object], ...]


def report_legacy_constructor(it: Evaluator, name: str, arguments: Arguments, node: ir.Node) -> None:
    """Reports a call of a legacy constructor; without arguments it returns an empty tensor, as a reader expects."""
    given = arguments.positional
    if not given and not arguments.open_positional:
        if not any(key in ("size", "data") for key, _ in arguments.keywords):
            return
    reason, more = _reason(it, name, arguments)
    data = (("reason", reason), ("dtype", CONSTRUCTORS[name]), ("cuda", ".cuda." in name), *more)
    fault = Fault(FaultKind.LEGACY_TENSOR, node.start, node.end, name, data, path=it.frame.module.path)
    raises = reason in ("overflow", "tensor", "fraction") and ".cuda." not in name
    it.report(with_call(it, [fault], name, arguments) if raises else [fault])


def _reason(it: Evaluator, name: str, arguments: Arguments) -> tuple[str, _Data]:
    """Returns how the arguments are taken, with more data for the fault.

    `overflow`, `tensor` and `fraction` raise, `size` and `sizes` create uninitialised memory.
    """
    given = arguments.positional
    if not given and any(key == "size" for key, _ in arguments.keywords):
        return "sizes", ()
    if arguments.open_positional or arguments.keywords or not given:
        return "any", ()
    if len(given) > 1:
        return "sizes", ()
    only = given[0]
    if isinstance(only, v.Scalar):
        if only.kind in ("float", "bool"):
            return "fraction", ()
        if v.as_int(only) == 0:
            return "sizes", ()  # `torch.Tensor(0)` has no memory that could be uninitialised
        return ("size", ()) if only.kind == "int" else ("any", ())
    if isinstance(only, TensorFact):
        return _of_tensor(name, only)
    span = _RANGES.get(CONSTRUCTORS[name])
    if span is not None:
        low, high = span
        outside = next((one for one in _numbers(it, only, 0) if not low <= one <= high), None)
        if outside is not None:
            return "overflow", (
                ("value", outside),
                ("low", max(low, 0) if low == -255 else low),
                ("high", high),
            )
    if isinstance(only, (v.ListRef, v.TupleValue, v.ArrayValue)):
        size = isinstance(only, v.TupleValue) and only.is_size
        return ("sizes" if size else "data"), ()
    return "any", ()


def _of_tensor(name: str, tensor: TensorFact) -> tuple[str, _Data]:
    known = tensor.dtype is not None and not tensor.assumed & {"tensor"} and tensor.provenance != OF_ANY_CLASS
    if known and name != "torch.Tensor" and tensor.dtype != CONSTRUCTORS[name]:
        return "tensor", (("input", tensor),)
    return "any", ()


def _numbers(it: Evaluator, value: Value, depth: int) -> Iterator[int]:
    """Yields the integers in a list of lists."""
    if isinstance(value, v.Scalar):
        if isinstance(value.value, int):
            yield value.value
    elif depth < _MAX_DEPTH:
        for item in it.elements(value) or ():
            yield from _numbers(it, item, depth + 1)


HOOKS = Hooks(external_call=for_names(CONSTRUCTORS, report_legacy_constructor))
