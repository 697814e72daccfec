"""TL217: a value with a fraction is assigned to an integer tensor, which truncates it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, rule, shown, with_method


@rule("TL217", severity="warning", group="correctness")
def assign_float_into_int_tensor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.FRACTION_CUT):
        tensor, value, number = fault["input"], fault["value"], fault["number"]
        name = fault.called("input", 0)
        if number is None:
            text = f"{fault.named(fault.written(value), 'value')} is {value.dtype} and is truncated to an integer: {name} is {shown(tensor)}"
        else:
            text = f"{number} is stored as {int(number)}: {name} is {shown(tensor)}"
        yield check.finding(
            fault, text, related=because(tensor, "dtype"), fixes=[_floating_where_made(check, fault)]
        )


def _floating_where_made(check: Check, fault: Site) -> Fix | None:
    """Casts the tensor where it is created as an integer one, which its other uses see as well."""
    place = next((place for place, _ in because(fault["input"], "dtype")), None)
    if place is None or not fault.shares_scope(place):
        return None
    return fault.fix(
        "Append .float() where it is made", (check.operand(place), lambda node: with_method(node, "float"))
    )
