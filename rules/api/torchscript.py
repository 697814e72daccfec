"""TL915: a function of TorchScript, which torch.compile and torch.export have replaced."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL915",
    severity="info",
    group="upgrade",
    tag="deprecated",
    shown_right="notes say what TorchScript did",
    unproven="the probe does not let the function in",
)
def torchscript(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TORCHSCRIPT):
        yield check.finding(fault, f"`{fault['name']}` is deprecated; use `{fault['instead']}`")
