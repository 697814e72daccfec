"""TL302: a tensor that requires grad is converted to a NumPy array."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_methods


@rule("TL302", severity="error", group="correctness")
def numpy_on_requires_grad(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NUMPY_ON_GRAD):
        tensor, missing, operand = fault["input"], fault["missing"], fault.converted
        change = operand, lambda node, missing=missing: with_methods(node, *missing)
        yield check.finding(
            fault,
            f"{fault.named(operand, 'tensor')} is {shown(tensor)}, NumPy cannot record gradients",
            related=because(tensor, "grad"),
            fixes=[fault.fix(f"Insert .{'().'.join(missing)}()", change, safe=True)],
        )
