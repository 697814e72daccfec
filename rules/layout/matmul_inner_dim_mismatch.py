"""TL105: the two dimensions that a matrix product sums over have different sizes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import (
    Check,
    FaultKind,
    Finding,
    Fix,
    Site,
    TensorFact,
    because,
    rule,
    shown,
    with_attribute,
)


@rule("TL105", severity="error")
def matmul_inner_dim_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MATMUL_INNER):
        if fault.get("chain"):
            continue  # TL121
        left, right = fault["left"], fault["right"]
        sizes = f"{shown(fault['left_size'])} and {shown(fault['right_size'])}"
        # addmm and its kin have the tensor that is added before the two factors.
        first = 1 if fault.what.op.rpartition(".")[2].startswith(("add", "badd")) else 0
        if fault.get("layer"):
            text = (
                f"inner sizes {sizes} differ: {fault.called('input', 0)} {shown(left)}, layer {shown(right)}"
            )
            fixes = []
        else:
            names = fault.called("left operand", first), fault.called("right operand", first + 1)
            text = f"inner sizes {sizes} differ: {names[0]} {shown(left)}, {names[1]} {shown(right)}"
            fixes = [_transposed(fault, first + 1)] if _fits_transposed(left, right) else []
        related = [*because(left, "shape"), *because(right, "shape")]
        yield check.finding(fault, text, related=related, fixes=fixes)


def _transposed(fault: Site, index: int) -> Fix | None:
    right = fault.operand("right operand", index)
    return fault.fix("Transpose the right operand", (right, lambda node: with_attribute(node, "mT")))


def _fits_transposed(left: TensorFact, right: TensorFact) -> bool:
    return (
        bool(left.shape) and right.rank is not None and right.rank >= 2 and left.shape[-1] == right.shape[-1]
    )
