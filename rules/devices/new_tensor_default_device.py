"""TL313: `forward` creates a tensor on the default device and combines it with one on the module's."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, device_expression, operand_name, rule


@rule(
    "TL313",
    severity="warning",
    group="correctness",
    unproven_cases="the operation may be one of which only the devices are known",
)
def new_tensor_default_device(check: Check) -> Iterator[Finding]:
    created = set()
    for fault in check.faults(FaultKind.DEFAULT_DEVICE):
        new, other = check.operand(fault["new"]), fault["input"]
        if new is None or "device" in new.source or (new.path, new.start) in created:
            continue
        created.add((new.path, new.start))  # one mistake, however often it is combined
        device = other.device
        place = (
            "is on the module's device"
            if device is None
            else f"is on {device.kind if device.relative else device}"
        )
        inside = fault.span.start <= new.start < fault.span.end
        yield check.finding(
            fault,
            f"{fault.named(new, 'tensor')} is on the default device, {operand_name(fault, other, 'input')} {place}",
            related=[] if inside else [(fault["new"], "created here without device=")],
            fixes=[_placed(fault, new, device_expression(check, fault, other, new.start))],
            style=other.device is None and not check.has_devices_in_sight(fault),
        )


def _placed(fault: Site, new, device: str | None) -> Fix | None:
    def change(node: cst.BaseExpression) -> cst.BaseExpression | None:
        if not isinstance(node, cst.Call):
            return None
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        keyword = cst.Arg(cst.parse_expression(device), keyword=cst.Name("device"), equal=equal)
        given = [
            *node.args[:-1],
            *(one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in node.args[-1:]),
        ]
        return node.with_changes(args=[*given, keyword])

    if device is None:
        return None
    return fault.fix(f"Create it on {device}", (new, change), safe=fault.shares_scope(fault["new"]))
