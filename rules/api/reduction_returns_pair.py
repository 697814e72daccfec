"""TL916: `max`, `sort` and others return values and indices along a dim; the pair is used as the values."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule, with_attribute


@rule(
    "TL916", severity="error", group="correctness", unproven_cases="the arguments of the use may be unknown"
)
def reduction_returns_pair(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.PAIR_AS_TENSOR):
        pair, made = fault.place(fault["operand"]), fault["made"]
        name = fault.named(pair, "pair")
        maker = (fault["maker"] or "torch.max").rpartition(".")[2]
        related = [] if made is None else [(made, f"{maker} along a dim returns values and indices")]
        yield check.finding(
            fault,
            f"{name} is a pair of values and indices, not a tensor",
            related=related,
            fixes=[fault.fix("Insert .values", (pair, lambda node: with_attribute(node, "values")))]
            if pair
            else (),
        )
