"""TL206: `nll_loss` gets something other than log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, cst, maker, rule, with_method

_WORDS = {
    "softmax": "holds probabilities",
    "sigmoid": "holds probabilities",
    "layer": "holds logits",
    "activation": "went through an activation",
    "tanh": "went through tanh",
}


@rule("TL206", severity="warning", group="correctness")
def nll_without_log_softmax(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NLL_OF_OTHERS):
        word, given = fault["word"], fault.operand("input", 0)
        if word == "softmax":
            fix = fault.fix("Append .log()", (given, lambda node: with_method(node, "log")))
        else:
            fix = _as_cross_entropy(fault) if word == "layer" else None
        text = f"{_WORDS[word]}, nll_loss takes log-probabilities" if word != "dim" else ""
        if word == "dim":
            text = f"is normalised over dim {fault['dim']}, nll_loss takes log-probabilities over dim 1, the classes"
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} {text}",
            related=maker(fault["input"]),
            fixes=[fix],
        )


def _as_cross_entropy(fault: Site):
    return fault.fix("Replace nll_loss by cross_entropy", (fault.callee, _cross_entropy))


def _cross_entropy(callee: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `F.nll_loss` to `F.cross_entropy`; with an imported name the other function may not be
    imported."""
    if isinstance(callee, cst.Attribute) and callee.attr.value == "nll_loss":
        return callee.with_changes(attr=cst.Name("cross_entropy"))
    return None
