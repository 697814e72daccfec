"""TL309: a tensor is created from a NumPy array with negative strides."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule, with_method


@rule("TL309", severity="error", group="correctness")
def negative_stride_array(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NEGATIVE_STRIDES):
        array = fault["input"]
        operand = fault.argument(array)
        related = [(array.origin, "reversed here, as a view")] if array.origin else []
        yield check.finding(
            fault,
            f"{fault.named(operand, 'array')} has a negative stride, which torch does not support",
            related=related,
            fixes=[fault.fix("Append .copy()", (operand, lambda node: with_method(node, "copy")), safe=True)],
        )
