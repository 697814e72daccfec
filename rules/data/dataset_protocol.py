"""TL704: a dataset without a method that its DataLoader calls."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule

_NEED = {
    "__len__": "to get the number of samples",
    "__getitem__": "to get a sample",
    "__iter__": "to iterate over the samples",
}


@rule("TL704", severity="error", group="correctness")
def dataset_protocol(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.DATASET_METHODS):
        missing, above, fixes = fault["missing"], fault["above"], []
        if above is not None and above.path == fault.file.path and fault["measured"] is not None:
            code = "def __len__(self):", f"    return len(self.{fault['measured']})", ""
            fixes = [fault.insert(f"Add __len__, the length of self.{fault['measured']}", above.start, *code)]
        yield check.finding(
            fault,
            f"`{fault['cls']}` has no `{missing}`, which DataLoader needs {_NEED[missing]}",
            related=[] if above is None else [(above, "only this is defined")],
            fixes=fixes,
        )
