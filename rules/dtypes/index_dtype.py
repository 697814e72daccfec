"""TL229: a floating or complex tensor is used as an index."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule("TL229", severity="error", group="correctness")
def index_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.INDEX_DTYPE):
        index = fault["input"]
        operand = fault.written(index)
        yield check.finding(
            fault,
            f"{fault.named(operand, 'index')} is {shown(index)}, indices are integers or bools",
            related=because(index, "dtype"),
            fixes=[fault.fix("Append .long()", (operand, lambda node: with_method(node, "long")))],
        )
