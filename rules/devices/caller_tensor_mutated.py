"""TL319: a function changes its argument in place and returns it as if it were a new tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL319", severity="info", group="style")
def caller_tensor_mutated(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.CALLERS_TENSOR):
        name, kept = fault["name"], fault["kept"]
        yield check.finding(
            fault, f"`{name}` is changed in place and returned: the caller's `{kept}` changes, too"
        )
