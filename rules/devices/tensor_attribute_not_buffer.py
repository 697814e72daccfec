"""TL308: a module holds a tensor as a plain attribute, which is neither moved nor saved with it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, TensorFact, rule, shown

_INTEGERS = frozenset({"i64", "i32", "i16", "i8", "u8"})


@rule("TL308", severity="warning", group="correctness")
def tensor_attribute_not_buffer(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PLAIN_ATTRIBUTE):
        name, met, device = fault["attribute"], fault["met"], fault["input"].device
        is_placed = device is not None and device.kind != "cpu"  # on purpose, where the module goes as a rule
        is_index = (
            not met and fault["input"].dtype in _INTEGERS
        )  # which may be on the CPU whatever is indexed
        yield check.finding(
            fault,
            f"`self.{name}` {shown(fault['input'])} is not a buffer: it does not move with the module",
            related=[(met, "it is combined here with a tensor on the module's device")] if met else [],
            fixes=[_registered(check, fault, ""), _registered(check, fault, ", persistent=False")],
            style=is_placed or is_index or bool(met) and fault["stateless"],
        )


def _counts(tensor: TensorFact) -> bool:
    """Returns whether a tensor holds whole numbers; with bounds of unknown types `arange` is taken to."""
    origin = tensor.origin
    return tensor.dtype in _INTEGERS or (
        tensor.dtype is None and origin is not None and origin.op == "torch.arange"
    )


def _registered(check: Check, fault: Site, options: str) -> Fix | None:
    """Adds `register_buffer`, after `super().__init__()` has run. Without `persistent=False` the state dict
    gets a key."""
    position, value = fault.position(fault.what), check.operand(fault["value"])
    receiver = fault.file.source(fault.span.start, fault.span.end).partition(".")[0]
    if position is None or value is None or not position.index or not receiver.isidentifier():
        return None
    code = f'{receiver}.register_buffer("{fault["attribute"]}", {value.source}{options})'
    return fault.rewrite(f"Register a buffer{options}", fault.whole, code, safe=bool(options))
