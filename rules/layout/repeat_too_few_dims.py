"""TL117: `repeat` gets fewer factors than the tensor has dims."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown


@rule("TL117", severity="error", group="correctness")
def repeat_too_few_dims(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SIZE):
        repeats, rank = fault.get("repeats"), fault.get("rank")
        if fault.what.op != "Tensor.repeat" or repeats is None or rank is None:
            continue
        tensor = fault["input"]
        text = f"{fault.called('input', 0)} {shown(tensor)} has {rank} dims, but repeat gets only {len(repeats)} of the {rank} factors"
        yield check.finding(fault, text, related=because(tensor, "shape"))
