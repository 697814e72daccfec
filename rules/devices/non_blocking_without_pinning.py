"""TL307: a non-blocking copy to the GPU of a batch that is not in pinned memory."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, respelling, rule


@rule(
    "TL307",
    severity="info",
    group="performance",
    hint="a loader whose batches stay on the CPU is right without it",
    unproven="only time is lost, and nothing else differs",
)
def non_blocking_without_pinning(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNPINNED):
        what = fault.named(fault.operand("self", 0), "batch")
        yield check.finding(
            fault,
            f"{what} is not in pinned memory, so `non_blocking=True` has no effect",
            related=[(fault["loader"], "this loader does not pin its batches")],
            fixes=[_pinned(check, fault)],
        )


def _pinned(check: Check, fault: Site) -> Fix | None:
    loader = check.operand(fault["loader"])
    change = loader, lambda node: respelling.with_given(node, "pin_memory", "True")
    return fault.fix("Insert pin_memory=True", change, safe=True)
