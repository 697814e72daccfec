"""TL903: a keyword argument that the function does not have."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule(
    "TL903",
    severity="error",
    group="correctness",
    unproven_cases="some functions are not let in by the probe",
)
def wrong_keyword(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.WRONG_KEYWORD):
        if fault.file.quotes(fault["keyword"]):
            continue  # something here looks the argument up by its name
        keyword, instead, later = fault["keyword"], fault["instead"], fault["later"]
        parts = fault["function"].rpartition(".")
        owner = parts[0].rpartition(".")[2]
        called = f"`{parts[2]}`" if parts[2] != "forward" else f"a call of `{owner}`"
        text = f"{called} takes no argument `{keyword}`"
        fixes = []
        if later is not None:
            text += f" before torch {later[0]}.{later[1]}"
        elif instead is not None:
            text += f"; it is called `{instead}`"
            change = (
                fault.whole,
                lambda node, old=keyword, new=instead: respelling.with_keyword(node, old, new),
            )
            fixes = [fault.fix(f"Write {instead}=", change, safe=fault["is_same"])]
        yield check.finding(fault, text, fixes=fixes)
