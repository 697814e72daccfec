"""TL510: gradients are clipped before the GradScaler has unscaled them."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL510", severity="error", group="correctness")
def clip_before_unscale(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CLIP_SCALED):
        step, backward = fault["step"], fault["backward"]
        related = [(backward, "these are the gradients of a scaled loss")]
        if step is not None:
            related.append((step, "they are unscaled only here"))
        yield check.finding(
            fault,
            f"{check.source(fault['call'])} clips gradients that are still scaled by the GradScaler",
            related=related,
            fixes=[_unscaled(check, fault)],
        )


def _unscaled(check: Check, fault: Site) -> Fix | None:
    """Inserts `scaler.unscale_(optimizer)` above the clip, with the names of the later step.

    Not where the step is taken less often than the clip: gradients may be unscaled once a step."""
    step, clip = fault["step"], fault.position(fault["call"])
    if step is None or clip is None or not fault.shares_scope(step):
        return None
    last, stepping = clip.statement, fault.position(step)
    if stepping is None or not any(one.start <= last.start and last.end <= one.end for one in stepping.block):
        return None
    scaler, optimizer = check.plain(check.receiver(step)), check.plain(check.argument(step))
    if scaler is None or optimizer is None:
        return None
    code = f"{scaler.source}.unscale_({optimizer.source})"
    return fault.insert(f"Insert {code}", clip.statement.start, code, safe=True)
