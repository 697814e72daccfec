"""TL228: softmax without a dim, which torch then chooses by the number of dims."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, Site, cst, rule


@rule(
    "TL228",
    severity="warning",
    group="upgrade",
    mended="torch warns, projects name the dim, and for three dims the one that torch picks is rarely the one meant",
)
def softmax_implicit_dim(check: Check) -> Iterator[Finding]:
    functions = check.calls(
        "torch.nn.functional.softmax",
        "torch.nn.functional.log_softmax",
        "torch.nn.functional.softmin",
    )
    layers = check.calls("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin")
    seen = set()
    for index, calls in ((1, functions), (0, layers)):
        for call in calls:
            here = call.what.path, call.span
            if _gives_dim(call, index) or here in seen or (index and _is_dim_meant(call)):
                continue
            seen.add(here)  # a function is run for each of its calls
            name = call.what.name.rpartition(".")[2]
            yield check.finding(
                call,
                f"without dim=, {name} uses dim 0 for 0-D, 1-D and 3-D inputs, else dim 1",
                fixes=[call.fix("Add dim=-1", (call.whole, _with_dim))],
            )


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
