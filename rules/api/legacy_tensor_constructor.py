"""TL911: a tensor is created by a legacy constructor, from before `torch.tensor`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule, shown

_NAMES = {
    "f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "u8": "uint8", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "bool": "bool",
}  # fmt: skip
_FILLED = re.compile(
    r"\s*(?:\.\s*(?:to|cuda|cpu|float|double|half|long)\([^()]*\)\s*)*"
    r"\.\s*(?:uniform|normal|fill|zero|random|copy|bernoulli|exponential|log_normal|geometric|cauchy|eye)_\("
)
"""A method that writes all elements, called on the new tensor."""
_MISTAKES = frozenset({"overflow", "tensor", "fraction", "size"})


@rule(
    "TL911",
    severity="warning",
    group="style",
    shown_right="notes explain them",
    unproven="many of them do what is meant",
)
def legacy_tensor_constructor(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LEGACY_TENSOR):
        before = fault.file.document.text[: fault.span.start].rstrip()
        if before.endswith("Parameter(") and fault["reason"] in ("size", "sizes", "any"):
            continue  # memory for a parameter, which its owner fills
        if fault["reason"] in ("size", "sizes", "any") and _FILLED.match(
            fault.file.document.text, fault.span.end, fault.span.end + 80
        ):
            continue  # no value is read before it is written
        works = fault["reason"] not in _MISTAKES
        yield check.finding(fault, _text(fault), fixes=[_fix(fault)], style=works)


def _text(fault: Site) -> str:
    name, given = fault.named(fault.callee, "constructor"), fault.named(fault.operand("data", 0), "argument")
    dtype = _NAMES[fault["dtype"]]
    match fault["reason"]:
        case "overflow":
            return f"{name} holds {fault['low']} to {fault['high']}, {fault['value']} does not fit"
        case "tensor":
            return f"{name} does not accept a tensor of another dtype: {given} is {shown(fault['input'])}"
        case "fraction":
            return f"{name} takes sizes or data, {given} is a single number"
        case "size":
            return f"{name} reads {given} as a size: the values are uninitialised memory"
        case "sizes":
            return f"{name} is a legacy constructor: with sizes, it returns uninitialised memory"
        case "data":
            return f"{name} is a legacy constructor: it always returns {dtype}"
    return f"{name} is a legacy constructor: integers are sizes, anything else is data"


def _fix(fault: Site) -> Fix | None:
    """Rewrites to today's functions: `torch.tensor` of data, `torch.empty` of sizes, `to` of a tensor."""
    callee, given, reason = fault.callee, fault.operand("data", 0), fault["reason"]
    if callee is None or given is None or "." not in callee.source or reason in ("any", "fraction"):
        return None
    torch = callee.source.split(".")[0]
    dtype = f"{torch}.{_NAMES[fault['dtype']]}"
    if reason == "tensor" and not fault["cuda"]:
        return fault.rewrite(f"Convert it to {dtype}", fault.whole, f"{given.source}.to({dtype})")
    where = ', device="cuda"' if fault["cuda"] else ""
    if reason == "overflow":
        dtype = f"{torch}.int64"
    function = "tensor" if reason in ("data", "overflow") else "empty"
    inside = fault.whole.source[len(callee.source) :].strip()[1:-1].rstrip(", \n")
    return fault.rewrite(
        f"Write {torch}.{function}", fault.whole, f"{torch}.{function}({inside}, dtype={dtype}{where})"
    )
