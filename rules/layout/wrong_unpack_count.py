"""TL129: a shape, a batch or a result is unpacked into another number of names than it has values."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, TensorFact, because, rule, shown

_OF_OUTPUTS = {f"torch.nn.{name}": "the output and the last state" for name in ("LSTM", "GRU", "RNN")}


@rule(
    "TL129",
    severity="error",
    group="correctness",
    unproven="it is no call of torch: the program's own statements are run instead",
)
def wrong_unpack_count(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNPACK):
        if fault["is_cut"]:
            continue  # TL111
        tensor = fault["shape_of"]
        related = because(tensor, "shape") if tensor is not None else []
        yield check.finding(fault, _message(fault), related=related)


def _message(fault: Site) -> str:
    got, expected = fault["got"], fault["expected"]
    names = f"{expected} name{'s' if expected != 1 else ''}"
    if fault["shape_of"] is not None:
        what = f"{fault.named(fault.whole, 'the shape')} of {shown(fault['shape_of'])} has {got} size{'s' if got != 1 else ''}"
    elif isinstance(fault["value"], TensorFact):
        what = f"{shown(fault['value'])} is unpacked along its first dim, which has {got}"
    elif fault["in_loop"]:
        what = f"each item of the loop has {got} value{'s' if got != 1 else ''}"
    else:
        first = fault["first"]
        of = _OF_OUTPUTS.get(first.op) if first is not None else None
        what = f"{fault.named(fault.whole, 'this')} gives {got} value{'s' if got != 1 else ''}"
        what += f", {of}" if of is not None else ""
    return f"{what}, but {names} {'are' if expected != 1 else 'is'} assigned"
