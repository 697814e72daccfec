"""TL923: `isinstance` with `_LRScheduler`, from which torch's own schedulers no longer derive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, rule

_OLD, _NEW = "_LRScheduler", "LRScheduler"


@rule(
    "TL923",
    severity="warning",
    group="correctness",
    unproven="`isinstance` gives an answer, and nothing fails",
)
def lr_scheduler_base(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.LEGACY_SCHEDULER):
        yield check.finding(
            fault,
            f"no scheduler of torch is an instance of `{_OLD}`; their base is `{_NEW}`",
            fixes=[_fix(fault)],
        )


def _fix(fault: Site) -> Fix | None:
    """Renames wherever the file has the name: the import and all uses go together."""
    text = fault.file.document.text
    names = re.findall(rf"\b_?{_NEW}\b", text)
    bound = re.findall(rf"(?:import|,|\()\s*{_OLD}\b", text) or re.findall(rf"\.{_OLD}\b", text)
    if _NEW in names or not bound or re.search(rf"[\"'#].*\b{_OLD}\b", text):
        return None
    places = [match.span() for match in re.finditer(rf"\b{_OLD}\b", text)]
    return fault.replace_all(f"Replace it by {_NEW}", places, _NEW)
