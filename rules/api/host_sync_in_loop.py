"""TL917: every iteration of a loop over data makes the host wait for the GPU."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL917",
    severity="info",
    group="performance",
    preview="what a wait costs depends on the GPU, and on a CPU it costs nothing",
    hint="a loop that shows its loss now and then has to wait",
    unproven="only time is lost, and nothing else differs",
)
def host_sync_in_loop(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.HOST_SYNC):
        yield check.finding(fault, f"{fault['what']}() waits for the GPU in every iteration")
