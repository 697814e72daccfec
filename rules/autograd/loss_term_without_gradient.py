"""TL426: a term of a loss is computed from values without a graph, so it trains nothing."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule

_GRADIENTS = "torch.autograd.grad"
_DETACHING = ("detach", "data")


@rule("TL426", severity="warning", group="correctness", unproven="torch computes such a loss without a word")
def loss_term_without_gradient(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CONSTANT_TERM):
        cuts, term = fault["cuts"], fault["input"]
        related = [(cut, "no gradient flows through this") for cut in cuts]
        related += [(term.origin, "this term is a constant to the backward pass")]
        fixes = []
        if cuts[0].op == _GRADIENTS:
            text = "a term of the loss trains nothing: `autograd.grad` returns gradients without a graph unless `create_graph=True` is given"
            place = fault.place((cuts[0].start, cuts[0].end)) if cuts[0].path == fault.file.path else None
            if len(cuts) == 1 and place is not None:
                fixes = [fault.fix("Compute the gradients with a graph", (place, _with_graph))]
        else:
            text = f"a term of the loss trains nothing: it depends only on {_said(cuts[0].op)}, which has no gradient"
        yield check.finding(
            fault, text, related=[*related, (fault["backward"], "the backward pass")], fixes=fixes
        )


def _said(op: str) -> str:
    name = op.rpartition(".")[2]
    if name in _DETACHING:
        return "a detached tensor"
    return _INDICES.get(name, f"`{name}`")


_INDICES = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), "a comparison"),
    **dict.fromkeys(("max", "min", "topk", "sort"), "indices"),
    **dict.fromkeys(("long", "int", "bool", "to", "type"), "a conversion"),
}


def _with_graph(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Adds `create_graph=True` to a call, in the row of its last argument."""
    if not isinstance(node, cst.Call) or not node.args:
        return None
    others = [arg for arg in node.args if arg.keyword is None or arg.keyword.value != "create_graph"]
    nothing = cst.SimpleWhitespace("")
    tight = cst.AssignEqual(nothing, nothing)
    if others:
        others[-1] = others[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=nothing)
    last = node.args[-1]
    added = last.with_changes(
        value=cst.Name("True"),
        keyword=cst.Name("create_graph"),
        equal=tight,
        star="",
        whitespace_after_star=nothing,
    )
    return node.with_changes(args=[*others, added])
