"""TL208: logits are passed to a binary loss on probabilities, or probabilities to the one on logits."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, maker, rule, without_call

_WORDS = {
    "layer": "holds logits",
    "normal": "is drawn from a distribution without bounds",
    "activation": "has no upper bound",
    "tanh": "lies between -1 and 1",
    "log_softmax": "holds log-probabilities",
    "logsigmoid": "holds log-probabilities",
}


@rule("TL208", severity="error", group="correctness")
def bce_without_sigmoid(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BCE_OF_LOGITS):
        word = fault["word"]
        what = _WORDS.get(word) or f"has values from {fault['low']} to {fault['high']}"
        fixes = [fault.fix("Use the loss on logits", (fault.callee, _with_logits))] if word in _LOGITS else []
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} {what}, this loss takes probabilities (0 to 1)",
            related=maker(fault["input"]),
            fixes=fixes,
        )
    for fault in check.faults(FaultKind.BCE_LOGITS_OF_PROBABILITIES):
        word, given = fault["word"], fault.operand("input", 0)
        change = given, lambda node, word=word: without_call(node, word)
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} went through {word}, this loss applies sigmoid itself",
            related=maker(fault["input"]),
            fixes=[fault.fix(f"Remove the {word}", change)],
            mild=True,
        )


_LOGITS = ("layer", "normal", None)


def _with_logits(callee: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `F.binary_cross_entropy` and `nn.BCELoss(…)` to their forms on logits."""
    if isinstance(callee, cst.Attribute) and callee.attr.value == "binary_cross_entropy":
        return callee.with_changes(attr=cst.Name("binary_cross_entropy_with_logits"))
    if isinstance(callee, cst.Call) and isinstance(callee.func, cst.Attribute):
        if callee.func.attr.value == "BCELoss":
            return callee.with_changes(func=callee.func.with_changes(attr=cst.Name("BCEWithLogitsLoss")))
    return None
