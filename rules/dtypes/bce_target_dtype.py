"""TL207: the target of a binary cross-entropy loss is not floating, or not of the input's dtype."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule("TL207", severity="error", group="correctness")
def bce_target_dtype(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BCE_TARGET_DTYPE):
        tensor, target, written = fault["input"], fault["target"], fault.operand("target", 1)
        wanted = tensor.dtype if tensor is not None and tensor.dtype is not None else "f32"
        method = {"f32": "float", "f64": "double", "f16": "half", "bf16": "bfloat16"}.get(wanted)
        fix = None
        if method is not None:
            change = written, lambda node, method=method: with_method(node, method)
            fix = fault.fix(f"Append .{method}()", change, safe=True)
        takes = (
            "a floating target"
            if not target.dtype.startswith(("f", "bf"))
            else f"a target of the input's {wanted}"
        )
        yield check.finding(
            fault,
            f"{fault.called('target', 1)} is {shown(target)}, this loss takes {takes}",
            related=because(target, "dtype"),
            fixes=[fix],
        )
