"""TL814: a call needs the process group before it is initialised, or after it is destroyed."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule


@rule("TL814", severity="error", group="correctness")
def collective_before_init(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NO_GROUP):
        name, later, gone = fault["name"], fault["later"], fault["gone"]
        if later is not None:
            text, related = (
                "which is initialised only later",
                [(later, "the process group is initialised here")],
            )
        elif gone is not None:
            text, related = "which destroy_process_group() has destroyed", [(gone, "it is destroyed here")]
        else:
            text, related = "which is never initialised", []
        yield check.finding(
            fault, f"{name}() needs the process group, {text}", related=related, fixes=[_guarded(fault)]
        )


def _guarded(fault: Site) -> Fix | None:
    """Puts the statement under a test for the group, where that can be written with the names of the call."""
    callee = fault.callee
    if callee is None or fault["later"] is not None:
        return None
    module, dot, _ = callee.source.rpartition(".")
    if not dot or not module.replace(".", "").isidentifier() or fault["name"] in _CLASSES_ELSEWHERE:
        return None
    statement = fault.statement
    if statement is None or (statement.start, statement.end) != (fault.span.start, fault.span.end):
        return None
    return fault.wrap(
        "Call it only if there is a process group",
        f"if {module}.is_available() and {module}.is_initialized():",
    )


_CLASSES_ELSEWHERE = frozenset({"DistributedDataParallel", "FullyShardedDataParallel", "DistributedSampler"})
