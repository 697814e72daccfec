"""TL407: `.data` of a tensor in the graph bypasses autograd."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, with_method


@rule("TL407", severity="warning", group="correctness")
def data_attribute(check: Check) -> Iterator[Finding]:
    written = [site for site in check.faults(FaultKind.DATA) if site["write"]]
    places = {(site.file, site.span) for site in written}
    for fault in check.faults(FaultKind.DATA):
        name = fault.named(fault.whole, ".data")
        if (fault.file, fault.span) in places and not fault["write"]:
            continue
        if fault["write"] or _is_in_place(fault.method_called):
            text = f"autograd does not see this change of {name}: gradients may be silently wrong"
            fixes = []
        else:
            text = f"autograd does not see changes made through {name}, use detach()"
            fixes = [fault.fix("Replace .data by .detach()", (fault.whole, _detached))]
        yield check.finding(fault, text, related=because(fault["input"], "grad"), fixes=fixes)


def _is_in_place(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__")


def _detached(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return with_method(node.value, "detach") if isinstance(node, cst.Attribute) else None
