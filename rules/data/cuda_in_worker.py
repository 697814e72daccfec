"""TL707: samples are moved to the GPU in the forked workers of a DataLoader."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL707",
    severity="error",
    group="correctness",
    unproven="it takes worker processes, which the probe does not start",
)
def cuda_in_worker(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CUDA_IN_WORKER):
        tensor, made = fault["input"], fault["made"]
        yield check.finding(
            fault,
            f"samples are moved to {tensor.device} in a forked worker, which cannot use CUDA",
            related=[(made, f"moved to {tensor.device} here")],
        )
