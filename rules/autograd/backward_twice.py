"""TL403: backward runs a second time through a graph that the first backward has freed."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL403", severity="error", group="correctness")
def backward_twice(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BACKWARD_TWICE):
        first = fault["first"]
        again = (first.path, first.start) == (fault.file.path, fault.span.start)
        name = fault.named(fault.operand("input", 0), "loss")
        if again:
            text = f"backward() runs again through the graph of {name}, which it has freed the first time"
        else:
            text = f"backward() of {name} runs through a graph that an earlier backward() has freed"
        yield check.finding(
            fault,
            text,
            related=[(first, "this backward frees the graph"), (fault["shared"], "computed once, for both")],
            fixes=[fault.fix("Keep the graph with retain_graph=True", (check.operand(first), _retaining))],
        )


def _retaining(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if not isinstance(node, cst.Call):
        return None
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    added = cst.Arg(cst.Name("True"), cst.Name("retain_graph"), equal=equal)
    return node.with_changes(args=[*node.args, added])
