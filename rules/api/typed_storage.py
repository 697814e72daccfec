"""TL913: `t.storage()`, which returns a storage of a deprecated type."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, respelling, rule

_POINTER = ".data_ptr()"


@rule(
    "TL913",
    severity="warning",
    group="upgrade",
    tag="deprecated",
    unproven="the page has no example that fails: torch only warns",
)
def typed_storage(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.TYPED_STORAGE):
        yield check.finding(
            fault,
            f"`storage()` of {fault.named(check.receiver(fault.whole), 'tensor')} is deprecated; use `untyped_storage()`",
            fixes=[_fix(fault)],
        )


def _fix(fault: Site) -> Fix | None:
    """Renames to `untyped_storage`. It is safe for the address only: elsewhere the two differ in units, bytes
    or elements."""
    same = fault.file.document.text.startswith(_POINTER, fault.span.end)
    change = (
        fault.callee,
        lambda node: respelling.renamed(node, "torch.Tensor.storage", "torch.Tensor.untyped_storage"),
    )
    return fault.fix("Write .untyped_storage()", change, safe=same)
