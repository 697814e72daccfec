"""TL922: a layer whose constructor rejects its arguments, or that no call accepts with them."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, rule


@rule("TL922", severity="error", group="correctness", since="1.13")
def layer_argument_constraint(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LAYER_ARGUMENTS):
        yield check.finding(fault, _text(fault))


def _text(fault: Site) -> str:
    layer = fault.what.op.rpartition(".")[2]
    argument, value = fault["argument"], fault["value"]
    other, other_value = fault["other"], fault["other_value"]
    match fault["reason"]:
        case "divides":
            return f"`{layer}`: {other}={other_value} is not divisible by {argument}={value}"
        case "range":
            return f"`{layer}`: {argument}={value} must be {other}"
        case "choice":
            return f"`{layer}`: {argument}={value!r} must be one of {other}"
        case "length":
            dims = "1 dim" if other_value == 1 else f"{other_value} dims"
            return f"`{layer}` slides over {dims}, {argument} has {value} number{'s' if value != 1 else ''}"
    return f"`{layer}`: padding='same' needs stride 1, it is {other_value}"
