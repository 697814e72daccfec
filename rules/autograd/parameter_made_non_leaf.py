"""TL411: a parameter is converted where it is created, so that what is kept is not a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule, with_attribute


@rule("TL411", severity="error", group="correctness")
def parameter_made_non_leaf(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NON_LEAF_PARAMETER):
        name = fault.named(fault.whole, "tensor")
        if fault["parameter"]:
            text = f"{name} is computed from a Parameter and is not one itself: no optimizer updates it"
            fixes = [fault.fix("Convert inside of Parameter()", (fault.whole, _inside), safe=True)]
        else:
            text = f"{name} is not a leaf: its .grad stays None"
            # what nobody asks for its gradient may be written in place, which torch refuses of a leaf
            fixes = [fault.fix("Require gradients last", (fault.whole, _last)) if fault["wanted"] else None]
        yield check.finding(fault, text, fixes=fixes, style=not fault["wanted"])


def _inside(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `Parameter(data).to(d)` to `Parameter(data.to(d))`; conversions may be chained."""
    match node:
        case cst.Call(
            func=cst.Name("Parameter") | cst.Attribute(attr=cst.Name("Parameter")), args=[first, *_]
        ):
            return node if not first.star else None
        case cst.Call(func=cst.Attribute(value=cst.Call() as receiver, attr=name)):
            made = _inside(receiver)
            data = made and with_attribute(made.args[0].value, name.value)
            return made and _holding(made, node.with_changes(func=data))
        case cst.BinaryOperation(left=cst.Call() as left):
            made = _inside(left)
            data = made and made.args[0].value
            if isinstance(data, cst.BinaryOperation) and not data.lpar:
                data = data.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            return made and _holding(made, node.with_changes(left=data))
    return None


def _holding(made: cst.Call, data: cst.BaseExpression) -> cst.Call:
    return made.with_changes(args=[made.args[0].with_changes(value=data), *made.args[1:]])


def _last(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Rewrites `randn(3, requires_grad=True).to(d)` to `randn(3).to(d).requires_grad_()`."""
    match node:
        case cst.Call(func=cst.Attribute(value=cst.Call(args=args) as made)):
            kept = [arg for arg in args if arg.keyword is None or arg.keyword.value != "requires_grad"]
            if not kept or len(kept) != len(args) - 1:
                return None
            kept[-1] = kept[-1].with_changes(comma=args[-1].comma)
            plain = node.with_changes(func=node.func.with_changes(value=made.with_changes(args=kept)))
            return cst.Call(cst.Attribute(plain, cst.Name("requires_grad_")))
    return None
