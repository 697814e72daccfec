"""TL933: what is no function is called, or a method is indexed."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule, with_attribute

_KINDS = {
    "module": "is a module of torch, not a function",
    "dtype": "is a dtype, which cannot be called",
    "shape": "is a tuple of sizes, which is indexed with []",
    "tensor": "is a tensor, which cannot be called",
    "method": "is a method, which is called with ()",
}


@rule(
    "TL933",
    severity="error",
    group="correctness",
    unproven_cases="the probe lets no module in as a value",
)
def not_callable(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NOT_CALLABLE):
        part = fault.place(fault["part"])
        yield check.finding(
            fault, f"{fault.named(part, fault['value'])} {_KINDS[fault['value']]}", fixes=[_fix(fault, part)]
        )


def _fix(fault: Site, part: cst.BaseExpression | None) -> Fix | None:
    kind, name = fault["value"], fault["name"]
    if kind == "shape":
        return fault.fix("Index the shape", (fault.whole, _indexed), safe=True)
    if kind == "method" and name in ("size", "stride"):
        return fault.fix("Call the method", (fault.whole, _called), safe=True)
    if kind == "dtype":
        return fault.fix("Convert with .to()", (fault.whole, _converted))
    return None


def _indexed(node: cst.BaseExpression) -> cst.BaseExpression | None:
    match node:
        case cst.Call(func=shape, args=[cst.Arg(keyword=None, star="", value=index)]):
            return cst.Subscript(shape, [cst.SubscriptElement(cst.Index(index))])
    return None


def _called(node: cst.BaseExpression) -> cst.BaseExpression | None:
    match node:
        case cst.Subscript(value=method, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            return cst.Call(method, [cst.Arg(index)])
    return None


def _converted(node: cst.BaseExpression) -> cst.BaseExpression | None:
    match node:
        case cst.Call(
            func=dtype,
            args=[cst.Arg(keyword=None, star="", value=cst.Name() | cst.Attribute() | cst.Call() as value)],
        ):
            return cst.Call(with_attribute(value, "to"), [cst.Arg(dtype)])
    return None
