"""TL504: a model with Dropout or BatchNorm predicts in training mode."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL504", severity="warning", group="correctness")
def missing_eval_mode(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.EVALUATED_IN_TRAINING):
        layer = fault["layer"]
        kind = layer.qualname.rpartition(".")[2]
        related = (
            [] if layer.origin is None else [(layer.origin, f"{kind} behaves differently in training mode")]
        )
        name, undone = fault.named(fault.callee, "model"), fault["undone"]
        if undone is None:
            text, fix = (
                f"{name} predicts in training mode and has {kind}: call eval() first",
                _evaluated(check, fault),
            )
        else:
            text, fix = (
                f"{name} predicts in training mode and has {kind}: train() ends the evaluation mode",
                None,
            )
            related = [*related, (undone, "the evaluation mode ends here, before anything has run in it")]
        yield check.finding(fault, text, related=related, fixes=[fix])


def _evaluated(check: Check, fault: Site) -> Fix | None:
    """Inserts `model.eval()` above all that runs without gradients, and `model.train()` below where training
    goes on."""
    model, around = check.plain(fault.callee), fault.outermost(fault["call"], fault["loop"])
    if model is None or around is None:
        return None
    before = fault.insert(f"Insert {model.source}.eval()", around.start, f"{model.source}.eval()")
    after = fault.append("", around, f"{model.source}.train()") if fault["again"] else None
    return before if before is None or after is None else Fix(before.title, (*before.edits, *after.edits))
