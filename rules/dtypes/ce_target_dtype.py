"""TL201: cross-entropy gets class indices that are not int64."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule(
    "TL201",
    severity="error",
    group="correctness",
    unproven_cases="one size of a batch may be known by two names",
)
def ce_target_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CE_TARGET_DTYPE):
        target = fault["target"]
        floating = target.dtype.startswith(("f", "bf"))
        change = fault.operand("target", 1), lambda node: with_method(node, "long")
        yield check.finding(
            fault,
            f"{fault.called('target', 1)} is {shown(target)}, class indices must be i64",
            related=because(target, "dtype"),
            fixes=[fault.fix("Append .long()", change, safe=not floating)],
        )
