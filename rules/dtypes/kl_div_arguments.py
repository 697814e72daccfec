"""TL218: `kl_div` gets probabilities instead of log-probabilities, or averages over every element."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, maker, rule, with_method

_WORDS = {"softmax": "holds probabilities", "sigmoid": "holds probabilities", "layer": "holds logits"}


@rule("TL218", severity="warning", group="correctness")
def kl_div_arguments(check: Check) -> Iterator[Finding]:
    functions = check.calls("torch.nn.functional.kl_div")
    layers = check.calls("torch.nn.KLDivLoss")
    averaged = {
        (call.what.path, call.span): call
        for index, calls in ((2, functions), (0, layers))
        for call in calls
        if not _gives_reduction(call, index)
    }
    for fault in check.faults(FaultKind.KL_OF_PROBABILITIES):
        word = fault["word"]
        also_averaged = averaged.pop((fault.what.path, fault.span), None) is not None
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} {_WORDS[word]}, kl_div takes log-probabilities there",
            related=maker(fault["input"]),
            fixes=[_logarithm(fault, also_averaged) if word == "softmax" else None],
        )
    for call in averaged.values():
        yield check.finding(call, "kl_div without `reduction` averages over all elements, not over the batch")


def _logarithm(fault: Site, also_averaged: bool) -> Fix | None:
    if not also_averaged:
        return fault.fix("Append .log()", (fault.operand("input", 0), lambda node: with_method(node, "log")))
    return fault.fix("Append .log(), and reduce by the batch", (fault.whole, _of_batch))


def _of_batch(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if not isinstance(node, cst.Call) or not node.args or node.args[0].keyword or node.args[0].star:
        return None
    first = node.args[0].with_changes(value=with_method(node.args[0].value, "log"))
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    reduction = cst.Arg(cst.SimpleString('"batchmean"'), cst.Name("reduction"), equal=equal)
    return node.with_changes(args=[first, *node.args[1:], reduction])


def _gives_reduction(call: Site, index: int) -> bool:
    """Returns whether the loss's reduction is, or may be, specified.  The two old flags say it too."""
    what = call.what
    names = {name for name, _ in what.keywords}
    return what.is_open or len(what.args) > index or bool(names & {"reduction", "size_average", "reduce"})
