"""TL812: weights of a model under DistributedDataParallel are changed on some ranks only."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL812", severity="error", group="correctness")
def rank_local_weight_change(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.RANK_WRITE):
        call, test = fault["call"], fault["test"]
        is_function = call.label.startswith("torch.nn.init.")
        changed = check.argument(call) if is_function else check.receiver(call)
        yield check.finding(
            fault,
            f"{fault.named(changed, 'weights')} changes only where {check.source(test)}: DDP does not sync weights",
            related=[
                (test, "only some ranks go on from here"),
                (
                    fault["wrapped"],
                    "DDP copies the weights to all ranks here, and not again",
                ),
            ],
        )
