"""TL414: a tensor created in inference mode is used where autograd does not accept one."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, with_method

_WORDS = {
    "save": "autograd cannot save it for backward",
    "write": "it cannot be modified outside of it",
    "require": "it cannot require grad outside of it",
}


@rule("TL414", severity="error", group="correctness")
def inference_tensor_in_autograd(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.INFERENCE_TENSOR):
        action, operand = fault["action"], fault.operand("input", fault["place"])
        fixes = []
        if action == "save":
            fixes = [fault.fix("Insert .clone()", (operand, lambda node: with_method(node, "clone")))]
        yield check.finding(
            fault,
            f"{fault.named(operand, 'tensor')} was created in inference mode, {_WORDS[action]}",
            related=because(fault["input"], "dtype"),
            fixes=fixes,
        )
