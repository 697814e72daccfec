"""TL810: some parameters of a model in DistributedDataParallel are not used by `forward`."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, respelling, rule


@rule("TL810", severity="warning", group="correctness")
def ddp_unused_parameters(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.UNFED_PARAMETERS):
        names = fault["names"]
        named = f"`{names[0]}`" if len(names) == 1 else f"`{names[0]}` and {len(names) - 1} more"
        yield check.finding(
            fault,
            f"DDP waits for gradients of {named}, which `{fault['cls']}` never uses",
            related=[
                (fault["made"], "it is created here and never used"),
                (fault["call"], "this call raises after the first backward"),
            ],
            fixes=[
                fault.fix(
                    "Insert find_unused_parameters=True",
                    (fault.whole, respelling.with_unused_parameters_found),
                )
            ],
        )
