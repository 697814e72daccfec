"""TL407: a write through `.data` of a tensor in the graph, which bypasses autograd."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, with_method


@rule("TL407", severity="warning", group="correctness")
def data_attribute(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DATA_WRITE):
        name, written = fault.named(fault.whole, ".data"), fault["written"]
        related = [*([(written, "it is changed here")] if written else []), *because(fault["input"], "grad")]
        fixes = [fault.fix("Replace .data by .detach()", (fault.whole, _detached))] if written else []
        text = f"autograd does not see this change of {name}: gradients may be silently wrong"
        yield check.finding(fault, text, related=related, fixes=fixes)


def _detached(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return with_method(node.value, "detach") if isinstance(node, cst.Attribute) else None
