"""TL202: class indices of a cross-entropy loss do not have the logits' shape without the class dim."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule(
    "TL202",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def ce_target_shape(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CE_TARGET_SHAPE):
        logits, target = fault["logits"], fault["target"]
        related = [*because(target, "shape")]
        text = f"{fault.called('target', 1)} {shown(target)} does not fit logits {shown(logits)}"
        fixes = []
        if fault["reason"] == "column":
            squeezed = fault.operand("target", 1), lambda node: with_method(node, "squeeze", 1)
            if target.rank == 2:
                fixes = [fault.fix("Append .squeeze(1)", squeezed)]
        elif fault["reason"] == "batch" and target.shape:
            text = f"{text}: batch sizes differ"
            related += because(logits, "shape")
        if fault["reason"] != "batch" and logits.shape is not None and len(logits.shape) >= 2:
            text = f"{text}: class indices are {shown((logits.shape[0], *logits.shape[2:]))}"
        yield check.finding(fault, text, related=related, fixes=fixes)
