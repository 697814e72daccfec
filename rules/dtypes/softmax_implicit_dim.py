"""TL228: softmax without a dim, which torch then chooses by the number of dims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchlsp.lint import Check, FaultKind, Finding, Site, because, cst, rule, shown


@rule(
    "TL228",
    severity="warning",
    group="upgrade",
    mended="for three dims torch picks dim 0, which normalises over the samples; where nothing shows that, the finding is an info",
)
def softmax_implicit_dim(check: Check) -> Iterator[Finding]:
    functions = check.calls(
        "torch.nn.functional.softmax",
        "torch.nn.functional.log_softmax",
        "torch.nn.functional.softmin",
    )
    layers = check.calls("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin")
    wrong = {}
    for fault in check.faults(FaultKind.IMPLICIT_DIM):
        wrong.setdefault(_place(check.constructor(fault) or fault), fault)
    seen = set()
    for index, calls in ((1, functions), (0, layers)):
        for call in calls:
            here, fault = _place(call), wrong.get(_place(call))
            if _gives_dim(call, index) or here in seen or (index and fault is None and _is_dim_meant(call)):
                continue
            seen.add(here)  # a function is run for each of its calls
            name = call.what.name.rpartition(".")[2]
            fix = call.fix("Add dim=-1", (call.whole, _with_dim))
            if fault is None:
                text = f"without dim=, {name} uses dim 0 for 0-D, 1-D and 3-D inputs, else dim 1"
                yield check.finding(call, text, fixes=[fix], style=True)
            else:
                text = f"without dim=, {name} of {shown(fault['input'])} uses dim {fault['dim']}"
                used = [(fault.what, "it is used here")] if fault.get("made") else []
                related = [*used, *because(fault["input"], "shape")]
                site = replace(fault, file=call.file, span=call.span, what=call.what)
                yield check.finding(site, text, fixes=[fix], related=related)


def _place(site: Site) -> tuple[str, int, int]:
    return site.file.path, site.span.start, site.span.end


def _is_dim_meant(call: Site) -> bool:
    """Returns whether the input of a function is known to be a row or a batch of rows: torch then takes the classes."""
    shape = getattr(call.what.args[0] if call.what.args else None, "shape", None)
    return shape is not None and len(shape) <= 2


def _gives_dim(call: Site, index: int) -> bool:
    """Returns whether a dim is, or may be, passed.  None is as good as nothing."""
    what = call.what
    keywords = dict(what.keywords)
    given = keywords.get("dim", what.args[index] if len(what.args) > index else None)
    if given is None:
        return what.is_open
    return getattr(given, "kind", None) != "none"


def _with_dim(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if not isinstance(node, cst.Call) or any(arg.keyword and arg.keyword.value == "dim" for arg in node.args):
        return None
    dim = cst.Arg(
        cst.UnaryOperation(cst.Minus(), cst.Integer("1")), cst.Name("dim"),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )  # fmt: skip
    return node.with_changes(args=[*node.args, dim])
