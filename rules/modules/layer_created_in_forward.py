"""TL608: a layer is created inside `forward`, so each call has new random weights that are never trained."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL608", severity="error", group="correctness")
def layer_created_in_forward(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LAYER_IN_FORWARD):
        kind = fault["layer"].rpartition(".")[2]
        lost = "statistics" if "Norm" in kind else "weights"
        yield check.finding(
            fault,
            f"each forward call creates a new {kind}, its {lost} are never trained",
            related=[(fault["called"], "it is used here")],
            cause=(fault["made"], "it is created here"),
        )
