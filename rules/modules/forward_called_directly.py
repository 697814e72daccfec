"""TL603: `forward` of a module is called directly, which skips its hooks and wrappers."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL603", severity="warning", group="style")
def forward_called_directly(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.FORWARD_CALLED):
        module = fault["module"].rpartition(".")[2]
        yield check.finding(
            fault,
            f"{fault.named(fault.callee, 'forward')} skips the hooks and wrappers of the {module}",
            fixes=[fault.fix("Call the module itself", (fault.callee, _receiver), safe=True)],
        )


def _receiver(callee: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `model.forward` to `model`."""
    return callee.value if isinstance(callee, cst.Attribute) else None
