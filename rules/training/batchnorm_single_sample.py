"""TL509: BatchNorm in training mode gets one value per channel."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown


@rule(
    "TL509",
    severity="warning",
    group="correctness",
    chosen_sizes="a right batch of which the size is not known may have one sample",
)
def batchnorm_single_sample(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.BATCH_OF_ONE):
        tensor, layer = fault["input"], fault["layer"]
        name = layer.qualname.rpartition(".")[2]
        related = [] if layer.origin is None else [(layer.origin, f"this {name} is in training mode")]
        yield check.finding(
            fault,
            f"{name} in training mode needs more than one value per channel, it gets {shown(tensor)}",
            related=[*related, *because(tensor, "shape")],
        )
