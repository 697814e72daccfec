"""TL211: prediction and target are passed to the constructor of a loss, not to its call."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL211", severity="error", group="correctness")
def loss_class_called_like_function(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LOSS_MADE_WITH_TENSORS):
        name = fault.what.op.rpartition(".")[2]
        yield check.finding(
            fault,
            f"{fault.called('prediction', 0)} is passed to the constructor of {name}, not to its call",
            fixes=[
                fault.fix(f"Construct the loss with {name}() and call it", (fault.whole, _called), safe=True)
            ],
        )


def _called(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `nn.MSELoss(a, b, reduction="sum")` to `nn.MSELoss(reduction="sum")(a, b)`."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return None
    given = [arg for arg in node.args if arg.keyword is None]
    options = [arg for arg in node.args if arg.keyword is not None]
    if len(given) != 2:
        return None
    given[-1] = given[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if options:
        options[-1] = options[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    plain = node.with_changes(args=options, whitespace_before_args=cst.SimpleWhitespace(""))
    return cst.Call(plain, given)
