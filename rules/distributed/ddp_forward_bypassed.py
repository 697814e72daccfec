"""TL811: a model is trained without its DistributedDataParallel wrapper: gradients are not averaged."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL811", severity="error", group="correctness")
def ddp_forward_bypassed(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BYPASSED):
        yield check.finding(
            fault,
            f"{fault.named(fault.callee, 'model')} bypasses DistributedDataParallel, so gradients are not averaged",
            fixes=[fault.fix("Call the wrapper", (fault.callee, _wrapper))],
        )


def _wrapper(callee: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns `m` of `m.module` and `m.module.forward`."""
    if isinstance(callee, cst.Attribute) and callee.attr.value == "forward":
        callee = callee.value
    return callee.value if isinstance(callee, cst.Attribute) and callee.attr.value == "module" else None
