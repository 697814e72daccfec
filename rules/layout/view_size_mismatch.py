"""TL102: the new shape of a `view`, `reshape` or `unflatten` has another number of elements."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown


@rule(
    "TL102",
    severity="error",
    group="correctness",
    chosen_sizes="sizes that the probe chooses need not fit together",
)
def view_size_mismatch(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.VIEW_NUMEL):
        tensor, target = fault["input"], shown(fault["target"])
        name = f"{fault.called('input', 0)} {shown(tensor)}"
        match fault["reason"]:
            case "two -1":
                text = f"{name} cannot become {target}: only one size may be -1"
            case "not divisible":
                text = f"{name} cannot become {target}: no whole number fits the -1"
            case "ambiguous":
                text = f"{name} cannot become {target}: any number would fit the -1"
            case _:
                text = f"{name} cannot become {target}: the number of elements differs"
        yield check.finding(fault, text, related=because(tensor, "shape"))
