"""TL503: a loop computes gradients without a step, or steps without computing gradients."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL503", severity="warning", group="correctness")
def missing_optimizer_step(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NEVER_STEPPED):
        clear, made = fault["clear"], fault["made"]
        if fault["reason"] == "no step":
            text = "these gradients are cleared before any optimizer step: no weight changes"
        else:
            name = fault.named(check.optimizer(fault["event"]), "optimizer")
            text = f"{name} steps, but backward() is never called: there are no gradients"
        related = [(clear, "the gradients are cleared here")]
        related += [] if made is None else [(made, "the optimizer is created here")]
        yield check.finding(fault, text, related=related)
