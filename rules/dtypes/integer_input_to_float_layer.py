"""TL214: an integer or bool tensor is passed to a layer or product that computes in floating point."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import (
    Check,
    FaultKind,
    Finding,
    Site,
    because,
    is_layer_or_product,
    rule,
    shown,
    with_method,
)

_CASTS = {"f32": "float", "f64": "double", "f16": "half", "bf16": "bfloat16"}


@rule("TL214", severity="error", group="correctness")
def integer_input_to_float_layer(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DTYPE_MISMATCH, FaultKind.DTYPE):
        if not is_layer_or_product(fault):
            continue
        if fault.what.kind is FaultKind.DTYPE:
            if fault.get("expected") != "floating":
                continue
            tensor, computes_in = fault["input"], "f32"
            needs = "takes floating point only"
        else:
            tensor, other = fault["left"], fault["right"]
            if _is_integral(other):
                tensor, other = other, tensor
            computes_in, needs = other.dtype, f"computes in {other.dtype}"
        if not _is_integral(tensor) or computes_in not in _CASTS:
            continue
        operand, cast = fault.written(tensor), _CASTS[computes_in]
        yield check.finding(
            fault,
            f"{fault.named(operand, 'input')} is {shown(tensor)}, {_computes(fault)} {needs}",
            related=because(tensor, "dtype"),
            fixes=[
                fault.fix(f"Append .{cast}()", (operand, lambda node, cast=cast: with_method(node, cast)))
            ],
        )


def _is_integral(tensor: object) -> bool:
    return tensor is not None and str(tensor.dtype).startswith(("bool", "i", "u"))


def _computes(fault: Site) -> str:
    if fault.get("made") is None:
        return fault.what.op.rpartition(".")[2].strip("_")
    return fault.named(fault.callee, "layer")
