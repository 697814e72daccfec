"""TL818: `nn.DataParallel`, one process for all GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, Finding, rule


@rule(
    "TL818",
    severity="info",
    group="performance",
    shown_right="notes say what `nn.DataParallel` does",
    unproven="it takes several GPUs",
)
def data_parallel(check: Check) -> Iterator[Finding]:
    places = set()
    for call in check.calls("torch.nn.DataParallel", "torch.nn.parallel.DataParallel"):
        place = call.file.path, call.span
        if place in places:
            continue  # in a function that is called more than once
        places.add(place)
        yield check.finding(
            call, "`DataParallel` uses one process for all GPUs; DistributedDataParallel is faster"
        )
