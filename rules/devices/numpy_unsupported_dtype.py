"""TL311: a tensor of a dtype that NumPy does not have is converted to an array."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_methods


@rule("TL311", severity="error", group="correctness")
def numpy_unsupported_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NUMPY_DTYPE):
        tensor, operand = fault["input"], fault.converted
        missing = ("float", *(one for one in fault["missing"] if one != "float"))
        change = operand, lambda node, missing=missing: with_methods(node, *missing)
        yield check.finding(
            fault,
            f"{fault.named(operand, 'tensor')} is {shown(tensor)}, a dtype that NumPy does not have",
            related=because(tensor, "dtype"),
            fixes=[fault.fix(f"Insert .{'().'.join(missing)}()", change, safe=True)],
        )
