"""TL915: a function of TorchScript, which torch.compile and torch.export have replaced."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL915", severity="info", tag="deprecated")
def torchscript(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TORCHSCRIPT):
        yield check.finding(fault, f"`{fault['name']}` is deprecated; use `{fault['instead']}`")
