"""TL513: the argument of an optimizer is not a list of parameters."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule

_TEXTS = {
    "module": "{params} is a module, the optimizer takes its parameters()",
    "tensor": "{params} is a single tensor, the optimizer takes a list of them",
    "consumed": "{params} is a generator that is already used up: this optimizer gets no parameters",
    "frozen": "{params} is empty: no parameter of the module requires grad",
    "bare": "{params} is empty: the module has no parameters",
    "empty": "{params} is an empty list of parameters",
    "generator": "{params} holds a generator, the optimizer takes tensors",
    "item": "{params} holds a module, the optimizer takes tensors",
    "non-leaf": "{params} holds a tensor that is not a leaf, the optimizer takes leaves only",
    "twice": "{params} has parameters that are already in an earlier parameter group",
    "sum": "parameters() returns generators, which `+` cannot join",
}


@rule(
    "TL513",
    severity="error",
    group="correctness",
    unproven_cases="the optimizer may be a class of the user's",
)
def optimizer_params_argument(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.OPTIMIZER_PARAMS):
        reason, made = fault["reason"], fault["made"]
        related = [] if made is None or reason == "bare" else [(made, "it comes from here")]
        text = _TEXTS[reason].format(params=fault.called("params", 0))
        yield check.finding(fault, text, related=related, fixes=[_fix(check, fault, reason)])


def _fix(check: Check, fault: Site, reason: str) -> Fix | None:
    params = fault.operand("params", 0)
    if reason == "module":
        return fault.fix("Insert .parameters()", (params, _called), safe=True)
    if reason == "consumed":
        return fault.fix("Keep the parameters in a list", (check.operand(fault["made"]), _listed), safe=True)
    if reason == "sum":
        sides = fault.operand("", 0), fault.operand("", 1)
        changes = [(side, _listed) for side in sides if side is not None and "parameters()" in side.source]
        return fault.fix("Make lists of the parameters", *changes, safe=True)
    if reason == "generator":
        return fault.fix("Put the parameters themselves in the list", (params, _unpacked), safe=True)
    return None


def _called(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Attribute(node, cst.Name("parameters")))


def _listed(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.Name("list"), [cst.Arg(node)])


def _unpacked(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `[a.parameters(), b.parameters()]` to `[*a.parameters(), *b.parameters()]`."""
    if not isinstance(node, cst.List) or not all(isinstance(one.value, cst.Call) for one in node.elements):
        return None
    stars = [cst.StarredElement(one.value, comma=one.comma) for one in node.elements]
    return node.with_changes(elements=stars)
