"""TL314: CUDA is used, and the file never checks that it is available."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL314",
    severity="info",
    group="style",
    hint="a script for machines that all have CUDA is right",
    unproven="it fails only on a machine without CUDA",
)
def hard_coded_cuda(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.FIXED_CUDA):
        more = f" (one of {fault['places']} places)" if fault["places"] > 1 else ""
        yield check.finding(
            fault, f"CUDA is used, and nothing in this file checks that it is available{more}"
        )
