"""TL227: floats outside of 0 to 255 are converted to uint8 and wrap around."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, cst, maker, rule, with_arguments, with_method

_WORDS = {"layer": "a layer's output has no bounds", "normal": "normal random numbers have no bounds"}


@rule("TL227", severity="warning", group="correctness")
def float_to_uint8_wrap(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BYTES_WRAP):
        name = fault.called("input", 0)
        word = fault["word"]
        found = _WORDS[word] if word else f"{name} has values from {fault['low']:.4g} to {fault['high']:.4g}"
        yield check.finding(
            fault,
            f"{found}, uint8 wraps around outside of 0 to 255",
            related=maker(fault["input"]),
            fixes=[_clamped(fault)],
            style=fault["drawn"],
        )


def _clamped(fault: Site) -> Fix | None:
    def change(node: cst.BaseExpression) -> cst.BaseExpression:
        ends = cst.Integer("0"), cst.Integer("255")
        return with_arguments(with_method(node, "round"), "clamp", *ends)

    return fault.fix("Insert .round().clamp(0, 255)", (fault.operand("input", 0), change))
