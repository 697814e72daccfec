"""TL205: cross-entropy gets probabilities, but applies log_softmax to logits itself."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, maker, rule, without_call


@rule("TL205", severity="warning", group="correctness")
def softmax_before_ce(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CE_OF_PROBABILITIES):
        word, given = fault["word"], fault.operand("input", 0)
        change = given, lambda node, word=word: without_call(node, word)
        yield check.finding(
            fault,
            f"{fault.called('input', 0)} is a result of {word}, but cross_entropy applies log_softmax itself",
            related=maker(fault["logits"]),
            fixes=[fault.fix(f"Remove the {word}", change)],
        )
