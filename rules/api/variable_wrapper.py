"""TL910: a tensor is wrapped in `torch.autograd.Variable`, which is not needed since torch 0.4."""

from __future__ import annotations

from collections.abc import Iterator

from torchlsp.lint import Check, FaultKind, Finding, Fix, Site, TensorFact, respelling, rule


@rule(
    "TL910", severity="warning", group="style", tag="deprecated", shown_right="notes say what `Variable` did"
)
def variable_wrapper(check: Check) -> Iterator[Finding]:
    for fault in check.faults(FaultKind.VARIABLE):
        tensor = fault["input"]
        name = fault.called("data", 0)
        if "volatile" in fault["keywords"]:
            text = "`volatile` has no effect; use `torch.no_grad()` instead"
        elif _requires_grad(tensor):
            text = f"`Variable` detaches {name}; tensors need no wrapper since torch 0.4"
        else:
            text = "`Variable` is deprecated: tensors need no wrapper since torch 0.4"
        yield check.finding(fault, text, fixes=[_fix(fault, tensor)])


def _requires_grad(tensor: TensorFact | None) -> bool:
    return tensor is not None and tensor.grad.requires.name == "YES"


def _fix(fault: Site, tensor: TensorFact | None) -> Fix | None:
    if set(fault["keywords"]) - {"volatile"} or fault.operand("requires_grad", 1) is not None:
        return None
    is_same = tensor is not None and tensor.grad.requires.name == "NO"
    return fault.fix("Leave out the wrapper", (fault.whole, respelling.first_argument), safe=is_same)
