"""TL212: a loss gets its target first and the prediction second."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, maker, rule, shown


@rule("TL212", severity="error", group="correctness")
def loss_arguments_swapped(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOSS_SWAPPED):
        tensor, target = fault["input"], fault["target"]
        if fault["reason"] == "integers":
            what = f"{shown(tensor)}, {fault.called('target', 1)} is {shown(target)}"
            text = f"{fault.called('input', 0)} is {what}: the prediction comes first"
            yield check.finding(fault, text, related=because(tensor, "dtype"), fixes=[_swapped(fault)])
        else:
            made = f"{fault.called('target', 1)} is a network's output, {fault.called('input', 0)} is not"
            text = f"{made}: the prediction comes first"
            yield check.finding(fault, text, related=maker(target), fixes=[_swapped(fault)], mild=True)


def _swapped(fault: Site) -> Fix | None:
    """Swaps the two arguments, where both are written out."""
    first, second = fault.operand("input", 0), fault.operand("target", 1)
    if first is None or second is None:
        return None
    one, other = (
        cst.parse_expression(f"({operand.source})").with_changes(lpar=[], rpar=[])
        for operand in (first, second)
    )
    return fault.fix("Swap the arguments", (first, lambda node: other), (second, lambda node: one))
