"""TL511: the calls of a gradient scaler do not fit together."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule


@rule("TL511", severity="error")
def scaler_protocol(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SCALER_UNSCALED):
        backward = fault["backward"]
        yield check.finding(
            fault,
            f"{check.source(fault['call'])} comes before the scaler has scaled any loss",
            related=[] if backward is None else [(backward, "the loss is not scaled here")],
            fixes=[_scaled(check, fault)],
        )
    for fault in check.faults(FaultKind.STEP_SCALED):
        yield check.finding(
            fault,
            f"{fault.named(check.optimizer(fault['call']), 'optimizer')} steps on gradients that are multiplied by the scale",
            related=[(fault["backward"], "the gradients are those of a scaled loss")],
            fixes=[_stepped(check, fault)],
        )
    for fault in check.faults(FaultKind.SCALER_STAGE):
        done = "stepped" if fault["stage"] == "stepped" else "unscaled"
        again = fault["before"].start == fault["call"].start
        since = "the iteration before has" if again else "it has been"
        yield check.finding(
            fault,
            f"{check.source(fault['call'])} without update(): {since} {done} already",
            related=[(fault["before"], f"{done} here, and update() is not called since")],
            fixes=[_updated(check, fault)] if again and done == "stepped" else [],
        )
    for fault in check.faults(FaultKind.SCALER_HALF):
        yield check.finding(
            fault,
            f"{check.source(fault['call'])} unscales float16 gradients, which a scaler refuses",
            related=[(fault["backward"], "the gradients are made here, of a model of half precision")],
        )


def _scaled(check: Check, fault: Site) -> Fix | None:
    """`scaler.scale(loss).backward()` where the loss is not scaled."""
    backward, written = fault["backward"], check.plain(check.receiver(fault["call"]))
    if backward is None or written is None or not fault.shares_scope(backward):
        return None
    loss, scaler = check.receiver(backward), written.source

    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        return cst.Call(func=cst.parse_expression(f"{scaler}.scale"), args=[cst.Arg(node)])

    return fault.fix(f"Scale the loss with {scaler}.scale()", (loss, change))


def _stepped(check: Check, fault: Site) -> Fix | None:
    """`scaler.step(optimizer)` in place of `optimizer.step()`, and the update where there is none."""
    scale = check.receiver(fault["backward"])
    optimizer, scaler = check.optimizer(fault["call"]), scale and check.plain(check.receiver(scale))
    if optimizer is None or scaler is None or not fault.shares_scope(fault["backward"]):
        return None
    code = f"{scaler.source}.step({optimizer.source})"
    fix = fault.fix(f"Step with {code}", (fault.whole, lambda node: cst.parse_expression(code)))
    update = None if fault["updates"] else fault.append("", fault["call"], f"{scaler.source}.update()")
    return fix if fix is None or update is None else Fix(fix.title, (*fix.edits, *update.edits))


def _updated(check: Check, fault: Site) -> Fix | None:
    written = check.plain(check.receiver(fault["call"]))
    if written is None:
        return None
    code = f"{written.source}.update()"
    return fault.append(f"Insert {code}", fault["call"], code)
