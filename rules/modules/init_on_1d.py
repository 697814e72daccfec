"""TL614: Xavier or Kaiming initialisation of a tensor with fewer than two dims."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown


@rule("TL614", severity="error", group="correctness")
def init_on_1d(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.INIT_RANK):
        tensor = fault["input"]
        name = fault.what.op.rpartition(".")[2]
        yield check.finding(
            fault,
            f"{fault.called('tensor', 0)} is {shown(tensor)}, {name} needs two dims or more",
            related=because(tensor, "shape"),
        )
