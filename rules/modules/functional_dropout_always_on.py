"""TL609: dropout in a module that `eval()` does not switch off."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Site, cst, rule


@rule("TL609", severity="error", group="correctness")
def functional_dropout_always_on(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DROPOUT_ALWAYS_ON):
        function, receiver = fault.what.op.rpartition(".")[2], fault["receiver"]
        fixes = []
        if receiver is not None and fault["parameter"] == "training":
            change = fault.whole, lambda node, name=receiver: _with_training(node, name)
            fixes = [fault.fix(f"Pass training={receiver}.training", change, safe=True)]
        elif receiver is not None:
            change = fault.operand("dropout_p", 4), lambda node, name=receiver: _while_training(node, name)
            fixes = [fault.fix("Apply dropout in training mode only", change, safe=True)]
        given = "no `training`" if fault["parameter"] == "training" else "a fixed `dropout_p`"
        text = f"{function} with {given} is active in eval mode as well"
        yield check.finding(fault, text, fixes=fixes, style=fault["documented"] or _is_meant(fault))


def _is_meant(fault: Site) -> bool:
    """Returns whether a comment at the end of the row says that dropout is always applied."""
    rest = fault.file.source(fault.span.end, fault.span.end + 200).partition("\n")[0]
    return "always" in rest.partition("#")[2].lower()


def _with_training(call: cst.BaseExpression, receiver: str) -> cst.BaseExpression | None:
    """Returns the call with `training=self.training` as its last argument."""
    if not isinstance(call, cst.Call):
        return None
    mode = cst.Attribute(cst.Name(receiver), cst.Name("training"))
    plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return call.with_changes(args=[*call.args, cst.Arg(mode, cst.Name("training"), plain)])


def _while_training(rate: cst.BaseExpression, receiver: str) -> cst.BaseExpression:
    """Rewrites `p` to `p if self.training else 0.0`."""
    mode = cst.Attribute(cst.Name(receiver), cst.Name("training"))
    return cst.IfExp(test=mode, body=rate, orelse=cst.Float("0.0"))
