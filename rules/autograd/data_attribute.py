"""TL407: a write through `.data` of a tensor in the graph, which bypasses autograd."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, with_method


@rule("TL407", severity="warning", group="correctness")
def data_attribute(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DATA_WRITE):
        name, written = fault.named(fault.whole, ".data"), fault["written"]
        related = [*([(written, "it is changed here")] if written else []), *because(fault["input"], "grad")]
        is_fixed = written and not _is_in_place(fault.method_called)
        fixes = [fault.fix("Replace .data by .detach()", (fault.whole, _detached))] if is_fixed else []
        text = f"autograd does not see this change of {name}: gradients may be silently wrong"
        yield check.finding(fault, text, related=related, fixes=fixes, style=fault["harmless"])


def _is_in_place(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__")


def _detached(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return with_method(node.value, "detach") if isinstance(node, cst.Attribute) else None
