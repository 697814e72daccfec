"""TL612: a layer is resized by an attribute without effect, or by its weight alone."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL612", severity="warning", group="correctness")
def partial_layer_surgery(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PART_CHANGED):
        layer = fault.named(fault.callee, "layer")
        if fault["reason"] == "label":
            text = f"setting {fault['name']}={fault['new']} does not resize the tensors of {layer}, they still have {fault['old']}"
        else:
            text = f"the weight of {layer} has {fault['new']} rows now, its bias still has {fault['old']}"
        made = fault["made"]
        yield check.finding(fault, text, related=[(made, "the layer is built here")] if made else ())
