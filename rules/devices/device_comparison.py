"""TL306: a device is compared with something that it never equals."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule, with_attribute


@rule("TL306", severity="error", group="correctness")
def device_comparison(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DEVICE_COMPARED):
        device, other = (
            fault.operand("", fault["device_operand"]),
            fault.operand("", 1 - fault["device_operand"]),
        )
        reason = "a string" if fault["other"] == "text" else "a device without index"
        yield check.finding(
            fault,
            f"{fault.named(device, 'device')} never equals {reason}: this is always {fault['answer']}",
            fixes=[_by_type(fault, device, other)],
            style=not fault["matters"],
        )


def _by_type(fault: Site, device, other) -> Fix | None:
    """Rewrites a comparison to `x.device.type == "cuda"`, which compares the kind of device."""
    if fault["other"] == "text":
        if fault["text"] is not None and ":" in fault["text"]:
            return fault.fix("Compare strings", (device, _as_text), safe=True)
        return fault.fix("Compare the type", (device, lambda node: with_attribute(node, "type")), safe=True)
    sides = [(one, _type_of) for one in (device, other)]
    return fault.fix("Compare the types", *sides, safe=True)


def _type_of(node: cst.BaseExpression) -> cst.BaseExpression:
    """Rewrites `torch.device("cuda")` to `"cuda"`, anything else to `x.type`."""
    if (
        isinstance(node, cst.Call)
        and len(node.args) == 1
        and isinstance(node.args[0].value, cst.SimpleString)
    ):
        return node.args[0].value
    return with_attribute(node, "type")


def _as_text(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Name("str"), [cst.Arg(node)])
