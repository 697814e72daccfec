"""TL511: the methods of a gradient scaler are called in the wrong order, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule


@rule("TL511", severity="error", group="correctness")
def scaler_protocol(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SCALER_UNSCALED):
        text = f"{check.source(fault['call'])} is called before the scaler has scaled any loss"
        related = [] if fault["backward"] is None else [(fault["backward"], "the loss is not scaled here")]
        yield check.finding(fault, text, related=related, fixes=[_scaled(check, fault)])
    for fault in check.faults(FaultKind.STEP_SCALED):
        optimizer = fault.named(check.optimizer(fault["call"]), "optimizer")
        text = f"{optimizer} steps on gradients that are still scaled by the GradScaler"
        related = [(fault["backward"], "these are the gradients of a scaled loss")]
        yield check.finding(fault, text, related=related, fixes=[_stepped(check, fault)])
    for fault in check.faults(FaultKind.SCALER_STAGE):
        text = f"{check.source(fault['call'])} is called a second time before update()"
        related = [(fault["before"], f"{fault['stage']} here, and update() is not called since")]
        yield check.finding(fault, text, related=related, fixes=[_updated(check, fault)])
    for fault in check.faults(FaultKind.SCALER_HALF):
        text = f"{check.source(fault['call'])} unscales float16 gradients, which a scaler does not support"
        related = [(fault["backward"], "the float16 gradients are computed here")]
        yield check.finding(fault, text, related=related)


def _scaled(check: Check, fault: Site) -> Fix | None:
    """Rewrites to `scaler.scale(loss).backward()` where the loss is not scaled."""
    backward, written = fault["backward"], check.plain(check.receiver(fault["call"]))
    if backward is None or written is None or not fault.shares_scope(backward):
        return None
    scale = cst.parse_expression(f"{written.source}.scale")
    change = check.receiver(backward), lambda node: cst.Call(scale, args=[cst.Arg(node)])
    return fault.fix(f"Scale the loss with {written.source}.scale()", change)


def _stepped(check: Check, fault: Site) -> Fix | None:
    """Rewrites `optimizer.step()` to `scaler.step(optimizer)`, and adds the update where there is none."""
    scale = check.receiver(fault["backward"])
    optimizer, scaler = check.optimizer(fault["call"]), scale and check.plain(check.receiver(scale))
    if optimizer is None or scaler is None or not fault.shares_scope(fault["backward"]):
        return None
    code = f"{scaler.source}.step({optimizer.source})"
    fix = fault.fix(f"Step with {code}", (fault.whole, lambda node: cst.parse_expression(code)))
    update = None if fault["updates"] else fault.append("", fault["call"], f"{scaler.source}.update()")
    return fix if fix is None or update is None else Fix(fix.title, (*fix.edits, *update.edits))


def _updated(check: Check, fault: Site) -> Fix | None:
    """Inserts the missing update below a step that follows itself."""
    written = check.plain(check.receiver(fault["call"]))
    if written is None or fault["stage"] != "stepped" or fault["before"] != fault["call"]:
        return None
    code = f"{written.source}.update()"
    return fault.append(f"Insert {code}", fault["call"], code)
