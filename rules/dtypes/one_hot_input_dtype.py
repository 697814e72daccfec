"""TL219: `one_hot` gets a tensor that is not int64, or values that are not valid classes."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, maker, rule, shown, with_method


@rule("TL219", severity="error", group="correctness")
def one_hot_input_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.ONE_HOT_DTYPE):
        tensor = fault["input"]
        floating = tensor.dtype.startswith(("f", "bf"))
        change = fault.operand("tensor", 0), lambda node: with_method(node, "long")
        yield check.finding(
            fault,
            f"{fault.called('tensor', 0)} is {shown(tensor)}, one_hot takes i64 only",
            related=because(tensor, "dtype"),
            fixes=[fault.fix("Append .long()", change, safe=not floating)],
        )
    for fault in check.faults(FaultKind.ONE_HOT_RANGE):
        low, high, classes = fault["low"], fault["high"], fault["classes"]
        has = (
            f"contains {low}, but classes start at 0"
            if low < 0
            else f"contains class {high}, but num_classes is {shown(classes)}"
        )
        yield check.finding(
            fault,
            f"{fault.called('tensor', 0)} {has}",
            related=maker(fault["input"]),
        )
