"""TL401: a leaf that requires grad is modified in place while gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule


@rule("TL401", severity="error", group="correctness")
def inplace_on_leaf(check: Check) -> Iterator[Finding]:
    last = None
    for fault in check.faults(FaultKind.INPLACE_LEAF):
        place = (fault.file, fault.span.start)
        if place == last:
            continue  # `w[0] += 1` writes twice: to the part, and the part to the whole
        last = place
        name = fault.called("input", 0)
        what = "is a view of a leaf tensor" if fault["view"] else "is a leaf tensor"
        yield check.finding(
            fault,
            f"{name} {what} that requires grad: it cannot be changed in place",
            related=because(fault["input"], "grad"),
            fixes=[fault.wrap("Change it without recording gradients", "with torch.no_grad():")],
        )
