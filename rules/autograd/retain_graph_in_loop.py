"""TL420: every iteration of a loop keeps its graph (`retain_graph=True`), which no other backward uses."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL420", severity="info", group="performance")
def retain_graph_in_loop(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RETAINED_GRAPH):
        if fault["carried"]:
            text = "with `retain_graph=True` each backward also runs through the graphs of earlier iterations"
            yield check.finding(fault, text)
            continue
        yield check.finding(
            fault,
            "`retain_graph=True` keeps the graph of each iteration, and no later backward uses it",
            fixes=[fault.fix("Drop retain_graph", (fault.whole, _without))],
        )


def _without(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns `loss.backward(retain_graph=True)` without the argument."""
    match node:
        case cst.Call(args=args):
            kept = [arg for arg in args if arg.keyword is None or arg.keyword.value != "retain_graph"]
            if kept and kept[-1] is not args[-1]:
                kept[-1] = kept[-1].with_changes(comma=args[-1].comma)
            return node.with_changes(args=kept)
    return None
