"""TL225: an embedding gets indices that are not integers, or that are out of range."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, maker, rule, shown, with_method


@rule("TL225", severity="error", group="correctness")
def embedding_index(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.EMBEDDING_DTYPE):
        tensor = fault["input"]
        operand = fault.written(tensor)
        yield check.finding(
            fault,
            f"{fault.named(operand, 'index')} is {shown(tensor)}, an embedding takes i64 or i32",
            related=because(tensor, "dtype"),
            fixes=[fault.fix("Append .long()", (operand, lambda node: with_method(node, "long")))],
        )
    for fault in check.faults(FaultKind.EMBEDDING_RANGE):
        low, high, rows = fault["low"], fault["high"], fault["rows"]
        drawn = "draws from" if "drawn" in fault.assumptions else "has"
        if "padded" in fault.assumptions:
            drawn = "is padded with"
        values = f"{low} to {high}" if low != high else f"{low}"
        table = (
            f"the table has rows 0 to {rows - 1}" if isinstance(rows, int) else "no table has rows below 0"
        )
        yield check.finding(
            fault,
            f"{fault.named(fault.written(fault['input']), 'index')} {drawn} {values}, {table}",
            related=maker(fault["input"]),
        )
