"""TL121: a layer produces another number of features or channels than the next layer takes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import (
    Check,
    FaultKind,
    Finding,
    Fix,
    Site,
    because,
    cst,
    gets_own_result,
    integer_value,
    number,
    rule,
    shown,
)

_SIZES = ("in_features", "in_channels", "num_features", "normalized_shape", "input_size", "num_channels")


@rule(
    "TL121",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def layer_chain_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LAYER_CHAIN, FaultKind.MATMUL_INNER):
        name = fault.what.op.rpartition(".")[2].lower()
        if fault.what.kind is FaultKind.LAYER_CHAIN:
            if not fault["chain"] and ("conv" in name or "norm" in name):
                continue  # TL120, TL124
            tensor, expected, got = fault["input"], fault["expected"], fault["got"]
        elif fault.get("chain"):
            tensor, expected, got = fault["left"], fault["right_size"], fault["left_size"]
        else:
            continue  # TL105
        made = fault.get("made")
        layer = check.source(made) if made else f"this {fault.what.op.rpartition('.')[2]}"
        related = [(made, f"the layer is built here for {shown(expected)}")] if made else []
        yield check.finding(
            fault,
            f"{layer} takes {shown(expected)} features and gets {shown(got)}: {shown(tensor)}",
            related=[*related, *because(tensor, "shape")],
            fixes=[_resized(check, fault, expected, got)],
        )


def _resized(check: Check, fault: Site, expected: object, got: object) -> Fix | None:
    """Returns the constructor with the size that arrives, where both sizes are plain numbers.

    None where the layer gets its own result, as in a loop: it takes what the first input has.
    """

    first = 1 if fault.what.op.endswith(".GroupNorm") else 0  # the position of the size

    def change(call: cst.Call) -> cst.Call | None:
        named = [one for one in call.args if one.keyword is not None and one.keyword.value in _SIZES]
        for argument in named or call.args[first : first + 1]:
            if argument.star == "" and integer_value(argument.value) == expected:
                return call.with_deep_changes(argument, value=number(got))
        return None

    if not isinstance(expected, int) or not isinstance(got, int) or gets_own_result(fault, got):
        return None
    if got == 1 and fault.what.op.endswith(".Linear"):
        return None  # not flattened before it: the size of a pooled side
    return fault.fix(f"Build the layer for {got}", (check.operand(fault.get("made")), change))
