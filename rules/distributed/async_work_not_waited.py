"""TL807: the handle of a collective is discarded, or its tensor is used before `wait()`."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule(
    "TL807",
    severity="error",
    group="correctness",
    unproven="ranks run in lock-step in the probe, where nothing is unfinished",
)
def async_work_not_waited(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.HANDLE_DROPPED, FaultKind.USED_UNFINISHED):
        started = fault.get("started")
        if started is None:
            yield check.finding(
                fault,
                f"{fault['name']}() is never waited for: its handle is discarded",
                fixes=[fault.rewrite("Wait for it here", fault.span, f"{fault.whole.source}.wait()")],
            )
            continue
        yield check.finding(
            fault,
            f"{started.op}() may still be running when its tensor is used here: call wait() first",
            related=[(started, "it is started here")],
            fixes=[_waited(fault)],
        )


def _waited(fault: Site) -> Fix | None:
    """Inserts `work.wait()` above the statement, where the handle has a name in the same function."""
    started, name = fault["started"], fault["bound"]
    here = fault.position(fault.span) if name else None
    if here is None or not fault.shares_scope(started):
        return None
    return fault.insert(f"Insert {name}.wait()", here.statement.start, f"{name}.wait()")
