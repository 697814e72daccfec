"""TL222: a uint8 tensor is used as a mask."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, cst, rule, shown, with_method


@rule(
    "TL222",
    severity="warning",
    group="correctness",
    unproven="a mask that is not inverted selects what it should: torch only warns",
)
def uint8_mask(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BYTE_MASK):
        mask = fault["mask"]
        name = fault.named(fault.written(mask), "mask")
        text = f"{name} is {shown(mask)}: `~` returns 254 and 255, which both select"
        if not fault["inverted"]:
            text = f"{name} is {shown(mask)} and used as a mask; masks should be bool"
        yield check.finding(fault, text, related=because(mask, "dtype"), fixes=[_as_bool(fault)])


def _as_bool(fault: Site) -> Fix | None:
    """Converts the mask to bool, and inverts it where `~` was meant to."""
    written, inverted = fault.written(fault["mask"]), fault["inverted"]

    def change(node: cst.BaseExpression) -> cst.BaseExpression | None:
        if not inverted:
            return with_method(node, "bool")
        if not isinstance(node, cst.UnaryOperation) or not isinstance(node.operator, cst.BitInvert):
            return None
        return node.with_changes(expression=with_method(node.expression, "bool"))

    return fault.fix("Convert the mask to bool", (written, change), safe=not inverted)
