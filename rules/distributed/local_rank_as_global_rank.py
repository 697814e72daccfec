"""TL813: the local rank decides what should be done once, or the global rank chooses a device."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL813", severity="info", unproven="it takes several nodes")
def local_rank_as_global_rank(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SAVED_ON_NODES, FaultKind.RANK_AS_DEVICE):
        call = fault.get("call")
        if call is None:
            yield check.finding(
                fault,
                "the global rank is no device index: with several nodes there are fewer devices than ranks",
            )
            continue
        yield check.finding(
            fault,
            f"{fault.named(fault.whole, 'test')} holds once on each node, and {call.name}() should run once",
            related=[(call, "as many processes as there are nodes do this")],
        )
