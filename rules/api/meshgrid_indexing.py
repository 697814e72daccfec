"""TL919: `torch.meshgrid` is called without `indexing`, whose default differs from NumPy's."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule("TL919", severity="warning", group="upgrade", tag="deprecated")
def meshgrid_indexing(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNSAID_ARGUMENT):
        if fault["name"] != "torch.meshgrid":
            continue
        change = fault.whole, lambda node: respelling.with_given(node, "indexing", '"ij"')
        yield check.finding(
            fault,
            "`meshgrid` without `indexing` warns: the default is 'ij', in NumPy it is 'xy'",
            fixes=[fault.fix('Insert indexing="ij"', change, safe=True)],
        )
