"""TL226: class indices out of range, a single class only, or nothing but ignored targets."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, maker, rule, shown


@rule("TL226", severity="error", group="correctness")
def ce_target_out_of_range(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CE_TARGET_RANGE):
        classes, outside = fault["classes"], fault["outside"]
        drawn = "draws from" if "drawn" in fault.assumptions else "has"
        if "padded" in fault.assumptions:
            drawn = "is padded with"
        values = f"{fault['low']} to {fault['high']}" if fault["low"] != fault["high"] else f"{outside}"
        yield check.finding(
            fault,
            f"{fault.called('target', 1)} {drawn} {values}, {fault.called('input', 0)} has classes 0 to {classes - 1}",
            related=maker(fault["target"]),
        )
    for fault in check.faults(FaultKind.CE_NOTHING_TO_LEARN):
        if fault["reason"] == "single":
            logits = fault["logits"]
            text = f"{fault.called('input', 0)} {shown(logits.shape)} has one class: every prediction has the same loss"
            yield check.finding(fault, text, related=because(logits, "shape"))
        else:
            text = f"every element of {fault.called('target', 1)} is {fault['ignored']}, which is ignored: the mean is nan"
            yield check.finding(fault, text, related=maker(fault["target"]), mild=True)
