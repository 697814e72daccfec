"""TL215: a mean, deviation, norm or softmax of integers or booleans, which torch does not support."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method

_REDUCTIONS = frozenset(
    "mean nanmean std var std_mean var_mean norm softmax log_softmax quantile nanquantile vector_norm matrix_norm".split()
)


@rule("TL215", severity="error", group="correctness")
def float_only_reduction_on_int(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DTYPE):
        module, _, name = fault.what.op.rpartition(".")
        tensor = fault.get("input")
        if name not in _REDUCTIONS or module not in ("torch", "Tensor", "torch.linalg") or tensor is None:
            continue
        if not str(tensor.dtype).startswith(("bool", "i", "u")):
            continue
        operand = fault.operand("input", 0)
        yield check.finding(
            fault,
            f"{fault.named(operand, 'input')} is {shown(tensor)}, {name} takes floating point only",
            related=because(tensor, "dtype"),
            fixes=[
                fault.fix("Insert .float()", (operand, lambda node: with_method(node, "float")), safe=True)
            ],
        )
