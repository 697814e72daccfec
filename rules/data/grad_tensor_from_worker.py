"""TL712: samples that require grad are created in the workers of a DataLoader."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, because, rule, shown, with_method


@rule(
    "TL712",
    severity="error",
    group="correctness",
    unproven_cases="a sample that is not batched fails only on its way out of the worker",
)
def grad_tensor_from_worker(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.GRAD_IN_WORKER):
        tensor = fault["input"]
        made = tensor.origin
        here = made is not None and made.path in (None, fault.file.path) and made.op != "parameter"
        change = (check.operand(made) if here else None, lambda node: with_method(node, "detach"))
        yield check.finding(
            fault,
            f"samples are {shown(tensor)}: a worker cannot send tensors that require grad",
            related=[*([(made, "the sample is created here")] if here else []), *because(tensor, "grad")],
            fixes=[fault.fix("Append .detach() where the sample is created", change, safe=True)],
        )
