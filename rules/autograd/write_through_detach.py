"""TL408: a detached tensor is modified in place, which changes the tensor in the graph as well."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule, with_method


@rule("TL408", severity="warning", group="correctness")
def write_through_detach(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DETACHED_WRITE):
        alias, name, detached = fault["alias"], fault["name"], fault["detached"]
        yield check.finding(
            fault,
            f"writing to `{alias}` also changes `{name}`: they share memory",
            related=[(detached, f"`{name}` is detached here, not copied")],
            fixes=[
                fault.fix(
                    "Insert .clone()", (check.operand(detached), lambda node: with_method(node, "clone"))
                )
            ],
        )
