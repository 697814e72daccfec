"""TL914: `reduce=` of `scatter` or a related function is not one of the names that it accepts."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, respelling, rule


@rule("TL914", severity="error", group="correctness")
def scatter_reduce_name(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.REDUCE_NAME):
        function = fault.what.op.rpartition(".")[2]
        names = [f"'{name}'" for name in fault["allowed"] if name not in ("min", "max")]
        yield check.finding(
            fault,
            f"`{function}` has no reduction '{fault['given']}', only {', '.join(names[:-1])} and {names[-1]}",
            fixes=[_fix(fault)],
        )


def _fix(fault: Site) -> Fix | None:
    instead, index = fault["instead"], 4
    if instead is None:
        return None
    if not instead:
        return fault.fix(
            "Leave reduce= out",
            (fault.whole, lambda node: respelling.without_keyword(node, "reduce")),
            safe=True,
        )
    text = fault.operand("reduce", index)
    return fault.fix(f"Write '{instead}'", (text, lambda node: _other(node, instead)), safe=True)


def _other(node: cst.BaseExpression, name: str) -> cst.SimpleString | None:
    return node.with_changes(value=f'"{name}"') if isinstance(node, cst.SimpleString) else None
