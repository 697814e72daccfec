"""TL604: a container without `forward` is called, or gets its modules as separate arguments."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL604", severity="error", group="correctness")
def container_called(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CONTAINER_CALLED):
        kind = fault["container"].rpartition(".")[2]
        yield check.finding(fault, f"{fault.named(fault.callee, kind)} is a {kind}, which has no forward")
    for fault in check.faults(FaultKind.CONTAINER_ARGUMENTS):
        kind = fault["container"].rpartition(".")[2]
        given = "one layer" if fault["made"] else f"{fault['count']} arguments"
        fixes = []
        if kind == "ModuleList":
            fixes = [fault.fix("Put the modules in a list", (fault.whole, _in_a_list))]
        yield check.finding(fault, f"{kind} takes one iterable of modules, not {given}", fixes=fixes)


def _in_a_list(call: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `ModuleList(a, b)` to `ModuleList([a, b])`."""
    if not isinstance(call, cst.Call) or any(arg.keyword for arg in call.args):
        return None
    items = [cst.StarredElement(arg.value) if arg.star else cst.Element(arg.value) for arg in call.args]
    return call.with_changes(args=[cst.Arg(cst.List(items))])
