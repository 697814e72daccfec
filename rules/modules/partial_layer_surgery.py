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
        elif fault["reason"] == "unread":
            text = (
                f"{fault['model']} never calls the layer set as {fault['name']}, its head is {fault['head']}"
            )
        else:
            text = f"the weight of {layer} has {fault['new']} rows now, its bias still has {fault['old']}"
        places = [(fault["set"], "the layer that is set")] if fault["reason"] == "unread" else []
        places.append((fault["made"], "the model is built here" if places else "the layer is built here"))
        yield check.finding(fault, text, related=[(place, what) for place, what in places if place])
