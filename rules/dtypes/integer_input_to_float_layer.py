"""TL214: an integer or bool tensor is given to a layer or a product that computes in floating point."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, because, rule, shown, with_method

_INTEGRAL = ("bool", "i", "u")
_FUNCTIONAL = "torch.nn.functional."
_PRODUCTS = "matmul mm bmm mv addmm addmv baddbmm addbmm einsum tensordot linear conv1d conv2d conv3d".split()
_CASTS = {"f32": "float", "f64": "double", "f16": "half", "bf16": "bfloat16"}


@rule("TL214", severity="error")
def integer_input_to_float_layer(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DTYPE_MISMATCH, FaultKind.DTYPE):
        if not _is_layer_or_product(fault):
            continue
        if fault.what.kind is FaultKind.DTYPE:
            tensor, other = fault["input"], None
            if fault.get("expected") != "floating" or not _is_integral(tensor):
                continue
            needs = "takes floating point only"
        else:
            tensor, other = fault["left"], fault["right"]
            if _is_integral(other):
                tensor, other = other, tensor
            if not _is_integral(tensor) or other.dtype not in _CASTS:
                continue
            needs = f"computes in {other.dtype}"
        operand = fault.written(tensor)
        cast = _CASTS[other.dtype] if other is not None else "float"
        yield check.finding(
            fault,
            f"{fault.named(operand, 'input')} is {shown(tensor)}, {_computes(fault)} {needs}",
            related=because(tensor, "dtype"),
            fixes=[
                fault.fix(f"Append .{cast}()", (operand, lambda node, cast=cast: with_method(node, cast)))
            ],
        )


def _is_integral(tensor: object) -> bool:
    return tensor is not None and str(tensor.dtype).startswith(_INTEGRAL)


def _is_layer_or_product(fault: Site) -> bool:
    """Losses have rules of their own (TL201 to TL212), and so have reductions (TL215)."""
    module, _, name = fault.what.op.rpartition(".")
    if "loss" in name.lower() or "cross_entropy" in name:
        return False
    return (
        fault.get("made") is not None or fault.what.op.startswith(_FUNCTIONAL) or name.strip("_") in _PRODUCTS
    )


def _computes(fault: Site) -> str:
    if fault.get("made") is None:
        return fault.what.op.rpartition(".")[2].strip("_")
    return fault.named(fault.callee, "layer")
