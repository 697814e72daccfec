"""TL515: gradients are clipped before the backward pass computes them, or after the step."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_TEXTS = {
    "early": "gradients are clipped before backward() computes them: this step uses them unclipped",
    "late": "gradients are clipped only after the step, and then cleared",
    "last": "gradients are clipped only after the step that uses them",
    "empty": "no gradient is clipped: the iterator of parameters is already used up",
}
_PLACES = {
    "early": "this step uses unclipped gradients",
    "late": "the clipped gradients are cleared here",
    "last": "the gradients are cleared here, before they are computed",
}


@rule("TL515", severity="error", group="correctness")
def clip_position(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CLIPS_NOTHING):
        reason, other = fault["reason"], fault["other"]
        if other is None:
            yield check.finding(fault, _TEXTS[reason])
            continue
        here, there = fault.position(fault.whole), fault.position(other)
        fixes = []
        if reason == "early" and here is not None and there is not None and here.block is there.block:
            fixes = [fault.move("Clip right before the step", here.statement, there.statement)]
        yield check.finding(fault, _TEXTS[reason], related=[(other, _PLACES[reason])], fixes=fixes)
