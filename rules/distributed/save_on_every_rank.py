"""TL816: every rank of a process group writes the same file."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule(
    "TL816", severity="warning", group="correctness", unproven="it takes files that several processes write"
)
def save_on_every_rank(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.SAVED_EVERYWHERE):
        init = fault["init"]
        path = fault.operand("f", 1)
        group = check.receiver(init)
        title = "Save on rank 0 only"
        yield check.finding(
            fault,
            f"every rank writes {fault.named(path, 'file')} at the same time",
            related=[(init, "from here on all ranks of the group do the same")],
            fixes=[fault.wrap(title, f"if {group.source}.get_rank() == 0:") if group is not None else None],
        )
