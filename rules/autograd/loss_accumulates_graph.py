"""TL409: losses are summed or collected with their graphs, which are no longer needed."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, with_method


@rule("TL409", severity="warning", group="correctness")
def loss_accumulates_graph(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAPH_GROWS):
        operand = fault.operand("", fault["place"])
        methods = ("item", "detach") if fault["single"] else ("detach",)
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, 'sum')} keeps the graphs of all iterations in memory",
            related=because(fault["input"], "grad"),
            fixes=[
                fault.fix(
                    f"Take the value with .{name}()",
                    (operand, lambda node, name=name: with_method(node, name)),
                )
                for name in methods
            ],
        )
