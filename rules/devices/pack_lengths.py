"""TL315: `pack_padded_sequence` gets lengths that it does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, because, respelling, rule, shown, with_method


@rule("TL315", severity="error", group="correctness")
def pack_lengths(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PACKED_LENGTHS):
        is_device = fault["reason"] == "device"
        yield check.finding(
            fault,
            _text(fault),
            related=because(fault["lengths"], "device") if is_device else (),
            fixes=[_fix(fault)],
        )


def _text(fault: Site) -> str:
    lengths = fault.called("lengths", 1)
    match fault["reason"]:
        case "device":
            return f"{lengths} is {shown(fault['lengths'])}, lengths must be on the CPU"
        case "count":
            return f"{lengths} has {fault['count']} lengths for {fault['batch']} sequences"
        case "order":
            return f"{lengths} is not in decreasing order, which enforce_sorted=True requires"
    return f"{lengths} has a length of {fault['length']}, all must be above 0"


def _fix(fault: Site) -> Fix | None:
    if fault["reason"] == "device":
        lengths = fault.operand("lengths", 1)
        return fault.fix("Insert .cpu()", (lengths, lambda node: with_method(node, "cpu")), safe=True)
    if fault["reason"] == "order" and fault.operand("enforce_sorted", 3) is None:
        change = fault.whole, lambda node: respelling.with_given(node, "enforce_sorted", "False")
        return fault.fix("Insert enforce_sorted=False", change, safe=True)
    return None
