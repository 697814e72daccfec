"""TL417: a thread started under `no_grad()` runs a module: in the thread, gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL417",
    severity="warning",
    group="correctness",
    unproven="it takes a thread, which the probe does not let in",
)
def grad_mode_in_thread(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAD_IN_THREAD):
        yield check.finding(fault, "gradients are disabled in this thread only, the new thread records them")
