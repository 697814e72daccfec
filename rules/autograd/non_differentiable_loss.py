"""TL422: a loss is computed only through operations without gradient: `argmax`, comparisons, rounding."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL422",
    severity="error",
    group="correctness",
    unproven_cases="where the gradient ends, the call may be unknown",
)
def non_differentiable_loss(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NO_DERIVATIVE):
        cut, name = fault["cut"], fault.called("input", 0)
        if fault["flat"]:
            text = f"{name} depends on {_word(cut.op)} only, whose gradient is 0 everywhere"
            related = [(cut, "the gradient is 0 through this")]
        else:
            text = f"{name} depends on {_word(cut.op)} only, which has no gradient"
            related = [(cut, "no gradient flows through this")]
        yield check.finding(fault, text, related=related)


def _word(op: str) -> str:
    name = op.rpartition(".")[2].removesuffix("_")
    return _SAID.get(name, f"`{name}`")


_SAID = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), "a comparison"),
    **dict.fromkeys(("greater", "less", "greater_equal", "less_equal", "not_equal"), "a comparison"),
    **dict.fromkeys(("long", "int", "short", "char", "byte", "bool"), "a conversion"),
    **dict.fromkeys(("to", "type", "type_as"), "a conversion"),
    **dict.fromkeys(("max", "min", "topk", "sort", "median", "mode", "kthvalue"), "indices"),
}  # fmt: skip
