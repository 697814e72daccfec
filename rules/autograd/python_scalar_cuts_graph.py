"""TL410: a Python number is read from a trainable tensor and used, so that no gradient reaches the tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL410", severity="warning", group="correctness")
def python_scalar_cuts_graph(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CUT_SCALAR):
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, 'number')} is a Python number: no gradient reaches the tensor it comes from",
            related=[(fault["used"], "the result is computed with it here")],
            fixes=[fault.fix("Compute with the tensor itself", (fault.whole, _tensor))],
        )


def _tensor(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `x.item()` and `float(x)` to `x`."""
    match node:
        case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name("item")), args=[]):
            return inner
        case cst.Call(func=cst.Name("float"), args=[only]) if isinstance(
            only.value, cst.Name | cst.Attribute | cst.Call
        ):
            return only.value
    return None
