"""TL927: a model with Dropout or BatchNorm is exported in training mode."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL927", severity="warning", group="correctness", unproven="the probe does not let the function in")
def export_in_train_mode(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.EXPORTED_IN_TRAINING):
        layer = fault["layer"]
        kind = layer.qualname.rpartition(".")[2]
        model = fault.operand("model", 0) or fault.operand("mod") or fault.operand("func")
        yield check.finding(
            fault,
            f"{fault.named(model, 'model')} is exported in training mode and has {kind}: call eval() first",
            related=[]
            if layer.origin is None
            else [(layer.origin, f"{kind} behaves differently in training mode")],
            fixes=[_evaluated(check, fault, model)],
        )


def _evaluated(check: Check, fault: Site, model) -> Fix | None:
    if model is None:
        return None
    if check.plain(model) is None:
        return fault.rewrite("Insert .eval()", model, f"{model.source}.eval()")
    place = fault.statement
    return (
        None
        if place is None
        else fault.insert(f"Insert {model.source}.eval()", place.start, f"{model.source}.eval()")
    )
