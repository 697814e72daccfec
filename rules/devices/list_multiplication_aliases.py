"""TL312: `[x] * n` repeats one layer, or one tensor that is then written to."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule


@rule("TL312", severity="warning", group="correctness")
def list_multiplication_aliases(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SHARED_ITEMS):
        name = fault.named(fault.whole, "list")
        if fault["what"] == "module":
            text, related = f"{name} repeats one module: all items share its parameters", []
        else:
            text = f"{name} repeats one tensor: changing one item changes all"
            related = [(fault["write"], "it is modified here")]
        yield check.finding(fault, text, related=related, fixes=[_fix(fault)])


def _fix(fault: Site) -> Fix | None:
    return fault.fix("Create each item separately", (fault.whole, _each))


def _each(node: cst.BaseExpression) -> cst.BaseExpression | None:
    match node:
        case cst.BinaryOperation(left=cst.List(elements=[cst.Element(value=item)]), right=count):
            code = cst.Module([]).code_for_node
            return cst.parse_expression(f"[{code(item)} for _ in range({code(count)})]")
    return None
