"""TL107: a dimension that is not 1 is expanded to another size."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown

_EXPANDING = frozenset({"Tensor.expand", "Tensor.expand_as", "Tensor.broadcast_to", "torch.broadcast_to"})


@rule("TL107", severity="error", group="correctness")
def expand_non_singleton(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.EXPAND):
        if fault.what.op not in _EXPANDING:
            continue
        tensor, target = fault["input"], shown(fault["target"])
        name = f"{fault.called('input', 0)} {shown(tensor)} cannot expand to {target}"
        match fault.get("reason"):
            case "rank":
                text = f"{name}: it has more dims"
            case "new dim":
                text = f"{name}: -1 is not allowed for the new dim {fault['dim']}"
            case _:
                text = f"{name}: size {shown(fault['size'])} is not 1"
        yield check.finding(fault, text, related=because(tensor, "shape"))
