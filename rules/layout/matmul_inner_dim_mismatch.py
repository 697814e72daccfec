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


@rule(
    "TL105",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def matmul_inner_dim_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.MATMUL_INNER):
        if fault.get("chain"):
            continue  # TL121
        left, right = fault["left"], fault["right"]
        made = fault.get("made")
        built = because(right, "shape") if made is None else [(made, "the layer is built here")]
        related = [*because(left, "shape"), *built]
        yield check.finding(fault, _message(fault), related=related, fixes=[_transposed(fault, left, right)])


def _message(fault: Site) -> str:
    left, right = shown(fault["left_size"]), shown(fault["right_size"])
    if fault.get("layer"):
        return (
            f"{fault.called('input', 0)} {shown(fault['left'])} has {left} features, the layer takes {right}"
        )
    first = _first(fault)
    operands = [fault.called("left operand", first), fault.called("right operand", first + 1)]
    return (
        f"inner sizes {left} and {right} differ: "
        f"{operands[0]} {shown(fault['left'])}, {operands[1]} {shown(fault['right'])}"
    )


def _transposed(fault: Site, left: TensorFact, right: TensorFact) -> Fix | None:
    """Transposes the right operand, where that makes the product legal.

    None where the result is itself multiplied: it gets another shape, which must fit there.
    """
    fits = left.shape and right.rank is not None and right.rank >= 2 and left.shape[-1] == right.shape[-1]
    if fault.get("layer") or not fits or fault.is_factor:
        return None
    operand = fault.operand("right operand", _first(fault) + 1)
    return fault.fix("Transpose the right operand", (operand, lambda node: with_attribute(node, "mT")))


def _first(fault: Site) -> int:
    """Returns the position of the left operand: addmm and related functions take the tensor that is added
    before it."""
    return 1 if fault.what.op.rpartition(".")[2].startswith(("add", "badd")) else 0
