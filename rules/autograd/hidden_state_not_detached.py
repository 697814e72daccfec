"""TL419: a tensor carries its graph from one iteration to the next, and each backward runs through it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL419", severity="error", group="correctness")
def hidden_state_not_detached(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CARRIED_GRAPH):
        fixes, what = [], "a tensor of the previous iteration"
        if fault["name"] is not None:
            name, several = fault["name"]
            what = f"`{name}`"
            code = (
                f"{name} = tuple(part.detach() for part in {name})"
                if several
                else f"{name} = {name}.detach()"
            )
            if name.isidentifier():
                fixes = [fault.append(f"Cut {name} off the graph after each iteration", fault.what, code)]
        yield check.finding(
            fault,
            f"{what} keeps the graph of the previous iteration, which backward() has freed",
            related=[(fault["shared"], "this is also in the graph of the next iteration")],
            fixes=fixes,
        )
