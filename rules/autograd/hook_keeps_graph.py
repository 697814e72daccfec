"""TL418: a forward hook keeps the output of a module together with its graph."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule, with_method


@rule("TL418", severity="warning", group="correctness")
def hook_keeps_graph(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.HOOK_KEEPS):
        yield check.finding(
            fault,
            f"the hook keeps {fault.named(fault.whole, 'output')} in `{fault['name']}` with its whole graph",
            fixes=[
                fault.fix(
                    "Insert .detach()",
                    (fault.whole, lambda node: with_method(node, "detach")),
                    safe=fault["tensor"],
                )
            ],
        )
