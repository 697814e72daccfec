"""TL304: the result of a tensor's conversion is discarded, so the tensor is unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, is_branch, rule, shown


@rule("TL304", severity="error", group="correctness")
def to_result_discarded(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CONVERSION_DISCARDED):
        tensor = fault.named(fault.operand("input", 0), "tensor")
        yield check.finding(
            fault,
            f"{tensor} stays {shown(fault['input'])}: the result of .{fault['method']}() is not kept",
            fixes=[_kept(fault)],
            style=not fault["needed"],
        )


def _kept(fault: Site) -> Fix | None:
    operand, position = fault.operand("input", 0), fault.position(fault.what)
    if operand is None or position is None or not fault["again"]:
        return None
    is_last = position.index == len(position.block) - 1
    if operand.source.isidentifier() and is_last and position.parent and not is_branch(position.parent):
        return None  # nothing that follows would see it
    return fault.rewrite(
        "Assign the result", fault.whole, f"{operand.source} = {fault.whole.source}", safe=True
    )
