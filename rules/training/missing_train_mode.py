"""TL505: a model is set to evaluation mode in a loop, and the next iteration trains it in that mode."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL505", severity="warning", group="correctness")
def missing_train_mode(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TRAINED_IN_EVALUATION):
        layer, switched = fault["layer"], fault["eval"]
        kind = layer.qualname.rpartition(".")[2]
        at_once = fault["at_once"]
        where = "before it is trained" if at_once else "in the previous iteration"
        related = [(switched, f"set to evaluation mode here, {where}")]
        since = "once it is evaluated" if at_once else "from the second iteration on"
        if layer.origin is not None:
            related.append((layer.origin, f"{kind} behaves differently in evaluation mode"))
        yield check.finding(
            fault,
            f"{fault.named(fault.callee, 'model')} stays in evaluation mode {since}: train() is not called again",
            related=related,
            fixes=[] if at_once else [_trained(check, fault)],
        )


def _trained(check: Check, fault: Site) -> Fix | None:
    """Inserts `model.train()` first in the loop, with the names of a call in the function of the loop."""
    loop = fault["loop"]
    for place, written in ((fault["eval"], check.receiver(fault["eval"])), (fault["call"], fault.callee)):
        model = check.plain(written)
        inside = place.path == loop.path and loop.start <= place.start < loop.end
        if model is not None and inside and fault.file.path == loop.path:
            code = f"{model.source}.train()"
            return fault.insert(f"Insert {code}", loop.body_start, code, safe=True)
    return None
