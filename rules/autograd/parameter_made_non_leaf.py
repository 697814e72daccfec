"""TL411: a parameter is converted where it is made, so that what is kept is no leaf."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, cst, rule


@rule("TL411", severity="error")
def parameter_made_non_leaf(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NON_LEAF_PARAMETER):
        name = fault.named(fault.whole, "tensor")
        if fault["parameter"]:
            text = f"{name} is no parameter: the one that it is computed from is lost"
            fixes = [fault.fix("Convert inside of Parameter()", (fault.whole, _inside), safe=True)]
        else:
            text = f"{name} is no leaf: its .grad stays None"
            fixes = [fault.fix("Ask for gradients last", (fault.whole, _last))]
        yield check.finding(fault, text, fixes=fixes)


def _inside(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """`Parameter(data).to(d)` becomes `Parameter(data.to(d))`; conversions may be chained."""
    chain: list[cst.BaseExpression] = []
    inner = node
    while True:
        match inner:
            case cst.Call(func=cst.Attribute(value=cst.Call() as receiver, attr=cst.Name(value=name))):
                if name == "Parameter":
                    break
                chain.append(inner)
                inner = receiver
            case cst.BinaryOperation(left=cst.Call() as left):
                chain.append(inner)
                inner = left
            case _:
                break
    if not chain or not isinstance(inner, cst.Call) or not inner.args or inner.args[0].star:
        return None
    function = inner.func.attr if isinstance(inner.func, cst.Attribute) else inner.func
    if not isinstance(function, cst.Name) or function.value != "Parameter":
        return None
    data = inner.args[0].value
    for step in reversed(chain):
        if isinstance(step, cst.Call):
            data = step.with_changes(func=step.func.with_changes(value=_atom(data)))
        else:
            data = step.with_changes(left=_atom(data))
    first = inner.args[0].with_changes(value=data)
    return inner.with_changes(args=[first, *inner.args[1:]])


def _last(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """`randn(3, requires_grad=True).to(d)` becomes `randn(3).to(d).requires_grad_()`."""
    match node:
        case cst.Call(func=cst.Attribute(value=cst.Call(args=args) as made)):
            kept = [arg for arg in args if arg.keyword is None or arg.keyword.value != "requires_grad"]
            if len(kept) != len(args) - 1:
                return None
            if kept:
                kept[-1] = kept[-1].with_changes(comma=args[-1].comma)
            plain = node.with_changes(func=node.func.with_changes(value=made.with_changes(args=kept)))
            return cst.Call(cst.Attribute(plain, cst.Name("requires_grad_")))
    return None


def _atom(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
