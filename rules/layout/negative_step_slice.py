"""TL103: a tensor is sliced with a negative step, as NumPy would reverse it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown, with_method


@rule("TL103", severity="error", group="correctness")
def negative_step_slice(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NEGATIVE_STEP):
        tensor = fault["input"]
        yield check.finding(
            fault,
            f"{fault.called('tensor', 0)} {shown(tensor)} is sliced with step {fault['step']}, torch takes only steps above 0",
            related=because(tensor, "shape"),
            fixes=[_flipped(fault)],
        )


def _flipped(fault: Site) -> Fix | None:
    """Rewrites `x[::-1]` to `x.flip(0)`, `x[0, ::-1]` to `x[0, :].flip(0)`.  What is written to cannot be
    flipped: that copies."""
    dims = fault["flips"]
    if not dims or fault.what.op != "Tensor.__getitem__":
        return None

    def change(node: cst.BaseExpression) -> cst.BaseExpression | None:
        if not isinstance(node, cst.Subscript):
            return None
        kept = (
            node.value if fault["alone"] else node.with_changes(slice=[_forwards(one) for one in node.slice])
        )
        return with_method(kept, "flip", *dims)

    title = f"Use flip({', '.join(map(str, dims))})"
    return fault.fix(title, (fault.whole, change), safe=True)


def _forwards(element: cst.SubscriptElement) -> cst.SubscriptElement:
    """Rewrites `::-1` to `:`."""
    match element.slice:
        case cst.Slice(lower=None, upper=None, step=cst.UnaryOperation(operator=cst.Minus())):
            return element.with_changes(slice=cst.Slice(lower=None, upper=None, step=None))
    return element
