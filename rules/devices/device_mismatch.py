"""TL303: one operation is given tensors on different devices."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, TensorFact, because, cst, rule, with_arguments


@rule(
    "TL303",
    severity="error",
    group="correctness",
    unproven_cases="one of the tensors may be of unknown shape",
)
def device_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DEVICE_MISMATCH):
        left, right = fault["left"], fault["right"]
        made = fault.get("made")
        built = (
            [(made, "the layer is built here")]
            if made and _of_layer(fault, right) and fault.written(right) is None
            else []
        )
        if fault.get("role") and right.origin is not None and fault.written(right) is None:
            built = [*built, (right.origin, f"{fault['role']} is made here")]
        yield check.finding(
            fault,
            f"{_named(fault, left)} is on {_place(left)}, {_named(fault, right)} on {_place(right)}",
            related=[*because(left, "device"), *because(right, "device"), *built],
            fixes=[_moved(fault, left, right), _moved(fault, right, left)],
        )


def _named(fault: Site, tensor: TensorFact) -> str:
    operand = fault.written(tensor)
    if operand is not None:
        return fault.named(operand, "tensor")
    if fault.get("role") and tensor is fault["right"]:
        return fault["role"]
    if not _of_layer(fault, tensor):
        return "its input" if fault.get("layer") else "the other tensor"
    if fault.callee is None:
        return "its weight"
    return f"{'the weight of' if tensor.origin else 'the layer'} {fault.named(fault.callee, 'layer')}"


def _of_layer(fault: Site, tensor: TensorFact) -> bool:
    return bool(fault.get("layer")) and not fault.get("role") and tensor is fault["right"]


def _place(tensor: TensorFact) -> str:
    return tensor.device.kind if tensor.device.relative else str(tensor.device)


def _moved(fault: Site, near: TensorFact, far: TensorFact) -> Fix | None:
    """Moves the tensor on the CPU to the other one's device, if that can be named."""
    operand, other = fault.written(near), fault.written(far)
    if operand is None or _place(near) != "cpu" or _place(far) == "cpu":
        return None
    where = fault.callee if other is None and _of_layer(fault, far) and far.origin is None else other
    if where is None or not where.source.replace(".", "").isidentifier():
        return None
    device = f"{where.source}.device" if other else f"next({where.source}.parameters()).device"
    target = cst.parse_expression(device)
    return fault.fix(
        f"Move it with .to({device})", (operand, lambda node: with_arguments(node, "to", target))
    )
