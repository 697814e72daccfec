"""TL203: cross-entropy gets an integer one-hot target, which it reads as probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, because, cst, rule, shown, with_method


@rule("TL203", severity="error", group="correctness")
def ce_onehot_int_target(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CE_ONEHOT_INT):
        target, written = fault["target"], fault.operand("target", 1)
        floated = fault.fix("Append .float()", (written, lambda node: with_method(node, "float")), safe=True)
        yield check.finding(
            fault,
            f"{fault.called('target', 1)} is {shown(target)}, a target of the logits' shape must be floating",
            related=because(target, "shape"),
            fixes=[
                None if _ignores(check, fault) else floated,
                fault.fix("Pass the class indices", (written, _indices)),
            ],
        )


def _ignores(check: Check, fault: Site) -> bool:
    """Returns whether the loss has ignore_index, with which it refuses probabilities: only indices are valid."""
    calls = fault, check.constructor(fault)
    return any(call is not None and call.operand("ignore_index") is not None for call in calls)


def _indices(target: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `F.one_hot(y, 3)` to `y`."""
    if not isinstance(target, cst.Call) or not target.args or target.args[0].keyword or target.args[0].star:
        return None
    name = target.func.attr if isinstance(target.func, cst.Attribute) else target.func
    return target.args[0].value if isinstance(name, cst.Name) and name.value == "one_hot" else None
