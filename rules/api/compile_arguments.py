"""TL904: `torch.compile` gets an argument that it does not accept, or its result is discarded."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, rule


@rule("TL904", severity="error", group="correctness", unproven="the probe does not let the function in")
def compile_arguments(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.COMPILE_ARGUMENTS):
        yield check.finding(fault, _text(fault), fixes=[_fix(fault)])


def _text(fault: Site) -> str:
    model = fault.called("model", 0)
    match fault["reason"]:
        case "positional":
            return f"`torch.compile` takes one positional argument, {fault['count']} are given"
        case "mode":
            return f"`torch.compile` has no mode '{fault['mode']}'"
        case "both":
            return "`torch.compile` takes `mode` or `options`, not both"
        case "not callable":
            return f"{model} is {fault['what']}, `torch.compile` takes a function or a module"
    return f"{model} is not compiled: the result of `torch.compile` is discarded"


def _fix(fault: Site) -> Fix | None:
    model = fault.operand("model", 0)
    if fault["reason"] == "discarded" and model is not None and model.source.replace(".", "").isidentifier():
        return fault.rewrite(
            "Assign the result", fault.whole, f"{model.source} = {fault.whole.source}", safe=True
        )
    if fault["reason"] == "mode" and fault["instead"] is not None:
        name = fault["instead"]
        return fault.fix(
            f"Write '{name}'", (fault.operand("mode"), lambda node: cst.SimpleString(f'"{name}"'))
        )
    return None
