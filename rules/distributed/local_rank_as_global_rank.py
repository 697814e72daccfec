"""TL813: the local rank decides what runs only once, or the global rank selects a device."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL813", severity="info", group="style", unproven="it takes several nodes")
def local_rank_as_global_rank(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SAVED_ON_NODES, FaultKind.RANK_AS_DEVICE):
        call = fault.get("call")
        if call is None:
            yield check.finding(
                fault,
                "the global rank is not a device index: on several nodes it exceeds the number of GPUs",
            )
            continue
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, 'test')} singles out one process on each node, but {call.name}() should run only once",
            related=[(call, "one process per node does this")],
        )
