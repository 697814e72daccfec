"""TL301: a tensor on the GPU is converted to a NumPy array without a copy to the CPU first."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_methods


@rule("TL301", severity="error", group="correctness")
def numpy_on_cuda(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NUMPY_ON_DEVICE):
        tensor, missing, operand = fault["input"], fault["missing"], fault.converted
        change = operand, lambda node, missing=missing: with_methods(node, *missing)
        yield check.finding(
            fault,
            f"{fault.named(operand, 'tensor')} is {shown(tensor)}, NumPy reads host memory only",
            related=because(tensor, "device"),
            fixes=[fault.fix(f"Insert .{'().'.join(missing)}()", change, safe=True)],
        )
