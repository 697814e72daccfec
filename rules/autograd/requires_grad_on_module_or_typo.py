"""TL412: an attribute is set that autograd does not use, and nothing is frozen."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL412", severity="error", group="correctness")
def requires_grad_on_module_or_typo(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAD_ATTRIBUTE):
        name = fault.named(fault.whole, "attribute")
        if fault["module"]:
            text = f"{name} has no effect on a module, its parameters are unchanged"
            fixes = [fault.fix("Call requires_grad_()", (fault.statement, _called), safe=True)]
        else:
            text = f"{name} has no effect on autograd, requires_grad is unchanged"
            fixes = [fault.fix("Set requires_grad", (fault.whole, _renamed), safe=True)]
        yield check.finding(fault, text, fixes=fixes, style=not fault["wanted"])


def _called(node: cst.CSTNode) -> cst.CSTNode | None:
    """Rewrites `net.requires_grad = False` to `net.requires_grad_(False)`."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)], value=value):
            function = target.with_changes(attr=cst.Name("requires_grad_"))
            return cst.Expr(cst.Call(function, [cst.Arg(value)]))
    return None


def _renamed(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return node.with_changes(attr=cst.Name("requires_grad")) if isinstance(node, cst.Attribute) else None
