"""TL809: no process of an NCCL group sets its device, so that all of them use the first GPU."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, rule


@rule("TL809", severity="error", group="correctness", unproven="it takes several GPUs")
def missing_set_device(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.NO_DEVICE_CHOSEN):
        init = fault.place((fault["init"].start, fault["init"].end))
        fix = None
        here = fault.file.position(init.start, init.end)
        if fault["imports_os"] and here is not None:
            fix = fault.insert(
                "Choose the device of the local rank",
                here.statement.start,
                'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
            )
        yield check.finding(
            fault,
            "no process sets its device: with NCCL all of them use the first GPU",
            fixes=[fix],
        )
