"""TL508: a learning rate scheduler gets an argument that it does not take, or lacks one that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, is_followed_by_step, rule

_TEXTS = {
    "metrics": "step() of {name} needs the metric that it monitors: step(loss)",
    "refused": "step() of {name} takes no argument",
    "initial": "{name} resumes at last_epoch={last}, but the optimizer's parameter groups have no `initial_lr`",
    "get_lr": "get_lr() of {name} is not the current learning rate, get_last_lr() is",
}


@rule("TL508", severity="error", group="correctness")
def scheduler_arguments(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SCHEDULER_ARGUMENT):
        reason = fault["reason"]
        made = fault.get("made")
        yield check.finding(
            fault,
            _text(fault, reason),
            related=[]
            if made is None
            else [(made, "the optimizer is created here, and no state is loaded into it")],
            fixes=[_fix(fault, reason)],
            mild=reason in ("epoch", "get_lr"),
            # torch warns, the rate is that of the epoch
            style=_is_an_epoch(fault) if reason == "epoch" else bool(fault.get("seldom")),
        )


_COUNTER = re.compile(r"(?i)epoch|step|iter|batch|count|(?<![a-z])(?:[ijnt]|\d+)(?![a-z.\d])")


def _is_an_epoch(fault: Site) -> bool:
    """Returns whether the argument counts epochs or steps, by its value and its name, and is no loss or score."""
    given = fault.file.source(fault.span.start, fault.span.end).rpartition(".step(")[2]
    return not fault["measured"] and _COUNTER.search(given) is not None


def _text(fault: Site, reason: str) -> str:
    name, given = fault["name"], fault.operand("", 1)
    if reason != "epoch":
        return _TEXTS[reason].format(name=name, last=fault.get("last"))
    if name != "ReduceLROnPlateau" and fault["measured"]:
        return f"{name} reads {fault.named(given, 'argument')} as an epoch, it monitors no metric"
    return f"the epoch argument of step() of {name} is deprecated"


def _fix(fault: Site, reason: str) -> Fix | None:
    if reason == "get_lr":
        return fault.fix("Use get_last_lr()", (fault.callee, _last), safe=True)
    if reason in ("epoch", "refused") and fault["name"] != "ReduceLROnPlateau":
        if reason == "epoch" and is_followed_by_step(fault):
            return None
        return fault.fix("Call step() without an argument", (fault.whole, _bare))
    return None


def _last(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return node.with_changes(attr=cst.Name("get_last_lr")) if isinstance(node, cst.Attribute) else None


def _bare(node: cst.BaseExpression) -> cst.BaseExpression | None:
    return node.with_changes(args=[]) if isinstance(node, cst.Call) else None
