"""TL126: `t[index] += v` with duplicates in the index: only one of the sums is kept."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown, with_method


@rule("TL126", severity="warning", group="correctness")
def duplicate_index_inplace_add(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.REPEATED_INDEX):
        target, room = fault.operand("target", 0), shown(fault["room"])
        name = fault.named(target, "target")
        match fault["reason"]:
            case "twice":
                text = f"{name} has duplicate indices: only one update of each position is kept"
            case "room":
                text = f"{name} has {fault['count']} indices for {room} positions: only one update of each is kept"
            case _:
                text = f"{name} keeps only one update where the index has duplicates"
        indices = [value for key, value in fault.what.data if key.startswith("index")]
        related = [step for index in indices for step in because(index, "shape")]
        yield check.finding(fault, text, related=related, fixes=[_added(fault)])


def _added(fault: Site) -> Fix | None:
    """Rewrites to `t.index_put_((index,), v, accumulate=True)`, where the value is a tensor of the program or
    a plain number."""

    def change(node: cst.AugAssign) -> cst.Expr | None:
        if not isinstance(node, cst.AugAssign) or not isinstance(node.target, cst.Subscript):
            return None
        items = [one.slice.value for one in node.target.slice if isinstance(one.slice, cst.Index)]
        if len(items) != len(node.target.slice) or not all(
            isinstance(one, cst.Name | cst.Call) for one in items
        ):
            return None
        indices = cst.Tuple([cst.Element(one) for one in items])
        value = node.value
        if isinstance(value, cst.Integer | cst.Float):
            value = with_method(node.target.value, "new_tensor").with_changes(args=[cst.Arg(value)])
        if isinstance(node.operator, cst.SubtractAssign):
            value = cst.UnaryOperation(cst.Minus(), value)
        equals = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        accumulate = cst.Arg(cst.Name("True"), keyword=cst.Name("accumulate"), equal=equals)
        call = with_method(node.target.value, "index_put_")
        return cst.Expr(call.with_changes(args=[cst.Arg(indices), cst.Arg(value), accumulate]))

    return fault.fix("Accumulate with index_put_", (fault.whole, change))
