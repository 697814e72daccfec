"""TL421: `copy.deepcopy` of a tensor that is not a leaf, or of an object that holds one."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, cst, rule, with_methods


@rule(
    "TL421",
    severity="error",
    group="correctness",
    unproven="it takes the `copy` module, which the probe does not let in",
)
def deepcopy_of_graph_tensor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DEEPCOPY):
        operand, name = fault.operand("x", 0), fault["name"]
        if name is None:
            text = f"{fault.named(operand, 'tensor')} is not a leaf tensor, only leaves can be deep-copied"
            fixes = [fault.fix("Use .detach().clone()", (fault.whole, _cloned))]
        else:
            text = f"{fault.named(operand, 'object')} holds `{name}`, which is in a graph and cannot be deep-copied"
            fixes = []
        yield check.finding(fault, text, related=because(fault["input"], "grad"), fixes=fixes)


def _cloned(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `copy.deepcopy(x)` to `x.detach().clone()`."""
    match node:
        case cst.Call(args=[only]) if not only.star:
            return with_methods(only.value, "detach", "clone")
    return None
