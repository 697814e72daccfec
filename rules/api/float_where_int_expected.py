"""TL921: a float where torch takes integers, mostly from `/`."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule


@rule("TL921", severity="error", group="correctness")
def float_where_int_expected(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.FLOAT_SIZE):
        name = fault["name"].rpartition(".")[2]
        given = fault.named(fault.place(fault["operand"]), "argument")
        cause = fault["cause"]
        yield check.finding(
            fault,
            f"{given} is a float, `{name}` takes integers",
            fixes=[_fix(fault), _fix_where_made(check, fault)],
            cause=None if cause is None else (cause, "the float comes from here"),
        )


def _fix(fault: Site) -> Fix | None:
    return fault.fix("Divide by //", (fault.place(fault["operand"]), _floored))


def _fix_where_made(check: Check, fault: Site) -> Fix | None:
    operand, made = fault.place(fault["operand"]), check.operand(fault["cause"])
    if made is None or operand is not None and operand.start <= made.start < operand.end:
        return None
    return fault.fix("Divide by // where it is made", (made, _floored))


def _floored(node: cst.BaseExpression) -> cst.BaseExpression | None:
    match node:
        case cst.BinaryOperation(operator=cst.Divide() as divide):
            before, after = divide.whitespace_before, divide.whitespace_after
            return node.with_changes(operator=cst.FloorDivide(before, after))
    return None
