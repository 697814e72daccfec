"""TL806: the result of a collective is used, which is None: it works in place."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL806", severity="error", group="correctness")
def collective_result_used(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NOTHING_USED):
        made = fault["made"]
        name = made.op.rpartition(".")[2]
        yield check.finding(
            fault,
            f"{name}() works in place and returns None, which is used here",
            related=[(made, "None is returned here")],
            fixes=_fixes(check, fault),
        )


def _fixes(check: Check, fault: Site) -> list[Fix | None]:
    """Returns a fix that makes the call a statement, and one that uses its first argument in its place."""
    made, tensor = fault["made"], check.plain(check.argument(fault["made"]))
    call, here = check.operand(made), fault.position(made)
    if tensor is None or call is None or here is None:
        return []
    title = f"Use {tensor.source} after the call"
    alone = fault.unassigned("Leave out the assignment", made, tensor.source)
    if alone is not None:
        return [alone]
    used = fault.fix(title, (call, lambda node: node.args[0].value), safe=True)
    before = fault.insert(title, here.statement.start, call.source)
    return (
        []
        if used is None or before is None
        else [Fix(title, (*before.edits, *used.edits), used.applicability)]
    )
