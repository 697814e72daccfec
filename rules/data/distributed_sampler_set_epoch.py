"""TL702: a DistributedSampler without `set_epoch` gives every epoch the same order."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL702", severity="warning", group="correctness")
def distributed_sampler_set_epoch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SAMPLER_EPOCH):
        loop, label, fixes = fault["loop"], fault["label"], []
        number = fault.counter(loop) if fault["near"] else None
        if number is not None and label:
            code = f"{label}.sampler.set_epoch({number})"
            fixes = [fault.insert(f"Set the sampler's epoch with {code}", loop.body_start, code)]
        name = f"`{label}`" if label else "the loader"
        yield check.finding(
            fault,
            f"{name} has the same order in every epoch: its sampler needs set_epoch()",
            related=[(fault["sampler"], "this sampler shuffles by its epoch, set with set_epoch")],
            fixes=fixes,
        )
