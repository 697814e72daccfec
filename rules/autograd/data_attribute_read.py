"""TL424: `.data` of a tensor in the graph is read, where `detach()` says the same."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, with_method


@rule(
    "TL424",
    severity="warning",
    group="style",
    hint="right programs read `.data`, above all those from before torch 0.4",
)
def data_attribute_read(check: Check) -> Iterator[Finding]:
    written = {(site.file, site.span) for site in check.faults(FaultKind.DATA_WRITE)}
    for fault in check.faults(FaultKind.DATA):
        if (fault.file, fault.span) in written:
            continue  # TL407
        yield check.finding(
            fault,
            f"autograd does not see changes made through {fault.named(fault.whole, '.data')}, use detach()",
            related=because(fault["input"], "grad"),
            fixes=[fault.fix("Replace .data by .detach()", (fault.whole, _detached))],
        )


def _detached(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return with_method(node.value, "detach") if isinstance(node, cst.Attribute) else None
