"""TL713: a DataLoader is indexed, or asked for its next batch, as if it were a list or an iterator."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL713", severity="error", group="correctness")
def dataloader_subscript(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOADER_AS_SEQUENCE):
        if fault["how"] == "next":
            loader = fault.operand("iterator", 0)
            yield check.finding(
                fault,
                f"{fault.named(loader, 'argument')} is a DataLoader, not an iterator",
                fixes=[fault.fix("Take its iterator with iter()", (loader, _iterator), safe=True)],
            )
        else:
            yield check.finding(
                fault, f"{check.source(fault.what)} indexes a DataLoader, which supports only iteration"
            )


def _iterator(loader: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Name("iter"), [cst.Arg(loader)])
