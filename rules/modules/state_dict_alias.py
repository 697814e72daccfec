"""TL611: a state dict is kept while the model is trained further, and changes with it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL611", severity="error", group="correctness")
def state_dict_alias(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.STATE_DICT_ALIAS):
        if fault["has_copy"]:
            title, change = "Keep a deep copy", _deep_copy
        else:
            title, change = "Keep clones of the tensors", _clones
        yield check.finding(
            fault,
            f"`{fault['name']}` is not a copy: it holds the model's own tensors, which training changes",
            related=[(fault["changed"], "the model is updated here")],
            fixes=[fault.fix(title, (fault.whole, change), safe=True)],
        )


def _deep_copy(call: cst.BaseExpression) -> cst.BaseExpression:
    return cst.Call(cst.parse_expression("copy.deepcopy"), [cst.Arg(call)])


def _clones(call: cst.BaseExpression) -> cst.BaseExpression:
    """Returns a dict of cloned tensors, without `copy`."""
    code = "{name: value.clone() for name, value in model.items()}"
    clones = cst.ensure_type(cst.parse_expression(code), cst.DictComp)
    items = cst.Call(cst.Attribute(call, cst.Name("items")))
    return clones.with_changes(for_in=clones.for_in.with_changes(iter=items))
