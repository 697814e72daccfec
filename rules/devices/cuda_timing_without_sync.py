"""TL317: a clock is read before the GPU has finished the work that is timed."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL317",
    severity="warning",
    group="correctness",
    unproven="the clock is read too early, and nothing else differs",
)
def cuda_timing_without_sync(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CLOCK_WITHOUT_WAIT):
        yield check.finding(
            fault,
            f"the clock is read while work on {fault['device'].rstrip('?')} is still queued: call synchronize() first",
            related=[(fault["work"], "queued here"), (fault["earlier"], "timed from here")],
            fixes=[fault.insert("Insert torch.cuda.synchronize()", _line(fault), "torch.cuda.synchronize()")],
            style=not fault["wanted"],
        )


def _line(fault) -> int:
    statement = fault.statement
    return fault.span.start if statement is None else statement.start
