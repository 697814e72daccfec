"""Mistakes with gradients as small programs: what is said of one tensor, asked of a tensor like it.

The programs end in an assertion that holds where the mistake is not made.
"""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails
from torchlsp.facts.dtype import TORCH_NAMES, can_require_grad
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.tri import Tri
from torchlsp.lint.replay_calls import of_fault
from torchlsp.lint.replay_outline import Unreplayable

_LARGEST = 1 << 20


def program(
    lines: list[str], flagged: str, proof: str, fault: Fault, guesses: bool, kind: str = "eager-cpu"
) -> ProbeRequest:
    """`flagged` is the row that the finding is about, `proof` what comes after it and ends in an assertion (empty: the row
    itself raises)."""
    written = ["import torch", "", *lines, flagged, *([proof] if proof else [])]
    row = len(lines) + 3
    return ProbeRequest(
        program="\n".join(written) + "\n",
        kind=kind,
        expect=ProofFails() if proof else None,
        flag=(row, row),
        assumes=tuple(sorted(fault.assumptions)),
        guesses=guesses,
    )


def tensor(fact: TensorFact | None, options: str = "") -> tuple[str, bool]:
    """A tensor of the fact's shape and dtype on the CPU, and whether something was chosen."""
    shape, dtype = (fact.shape, fact.dtype) if fact is not None else (None, None)
    known = shape is not None and all(isinstance(size, int) for size in shape)
    sizes = shape if known else (2, 3)
    count = 1
    for size in sizes:
        count *= size
    if count > _LARGEST:
        raise Unreplayable("a smaller tensor")
    kept = f", dtype=torch.{TORCH_NAMES[dtype]}" if dtype not in (None, "f32") else ""
    inner = ", ".join(map(str, sizes))
    comma = "," if len(sizes) == 1 else ""
    return f"torch.ones(({inner}{comma}){kept}{options})", not known or dtype is None


def leaf(fact: TensorFact | None) -> tuple[str, bool]:
    if fact is not None and fact.dtype is not None and not can_require_grad(fact.dtype):
        raise Unreplayable("a dtype that can require grad")
    return tensor(fact, ", requires_grad=True")


def _of_grad(fault: Fault) -> ProbeRequest:
    made, guesses = leaf(fault["input"])
    lines = [f"w = {made}", "h = w.clone()", "h.sum().backward()"]
    return program(lines, "gradient = h.grad", 'assert gradient is not None, "h is no leaf"', fault, guesses)


def _of_data(fault: Fault) -> ProbeRequest:
    """A gradient that needs the value which is written through `.data`; through `detach()` torch would refuse."""
    made, guesses = leaf(fault["input"])
    if fault["input"].grad.leaf is Tri.YES:
        lines = [f"w = {made}", "expected = 2 * w.detach()", "total = (w * w).sum()"]
        flagged, after = "w.data.add_(1)", "total.backward()"
    else:
        lines = [f"w = {made}", "h = w.exp()", "expected = h.detach().clone()"]
        flagged, after = "h.data.add_(1)", "h.sum().backward()"
    proof = f'{after}\nassert torch.equal(w.grad, expected), "the gradient is wrong"'
    return program(lines, flagged, proof, fault, guesses)


def _of_detached(fault: Fault) -> ProbeRequest:
    made, guesses = leaf(fault["input"])
    lines = [f"w = {made}", "h = w * 2", "before = h.detach().clone()", "part = h.detach()"]
    proof = 'assert torch.equal(h, before), "the tensor in the graph was changed as well"'
    return program(lines, "part.add_(1)", proof, fault, guesses)


def _of_cut(fault: Fault) -> ProbeRequest:
    lines = ["scale = torch.ones((), requires_grad=True)", "w = torch.ones(3, requires_grad=True)"]
    proof = 'result.sum().backward()\nassert scale.grad is not None, "the gradient has ended before"'
    return program(lines, "result = w * scale.item()", proof, fault, False)


def _of_leaf(fault: Fault) -> ProbeRequest:
    made, guesses = leaf(fault["input"])
    lines = [f"w = {made}", *(["w = w.view(-1)"] if fault["view"] else [])]
    return program(lines, "w.add_(1)", "", fault, guesses)


def _of_underived(fault: Fault) -> ProbeRequest | None:
    """The operator on a tensor that requires grad: its result is in no graph, or the gradient through it is 0."""
    if not fault["flat"]:
        if fault.called is None:
            raise Unreplayable("the call")
        return of_fault(fault, fault.called)
    name = fault["cut"].op.rpartition(".")[2].removesuffix("_")
    lines = ["w = torch.full((3,), 0.7, requires_grad=True)", f"loss = torch.{name}(w).sum()"]
    proof = 'assert w.grad.any(), "the gradient is 0"'
    return program(lines, "loss.backward()", proof, fault, False)


def _of_attribute(fault: Fault) -> ProbeRequest:
    name, value = fault.op, getattr(fault["value"], "value", None)
    if not isinstance(value, bool):
        raise Unreplayable("the value that is set")
    if fault["module"]:
        lines, target = ["target = torch.nn.Linear(2, 2)"], "target.weight.requires_grad"
    else:
        lines, target = ["target = torch.ones(2, requires_grad=True)"], "target.requires_grad"
    if value:
        lines.append("target.requires_grad_(False)")
    return program(lines, f"target.{name} = {value}", f"assert {target} is {value}", fault, False)


def _of_mode(fault: Fault) -> ProbeRequest:
    name = fault["manager"]
    if fault["called_for"]:
        raise Unreplayable("a manager outside of `with`")  # the probe's gate refuses it
    return program([], f"with {name}: pass", "", fault, False)


def _of_non_leaf(fault: Fault) -> ProbeRequest:
    parent, result = fault["input"], fault["result"]
    made, guesses = leaf(parent)
    if result.dtype != parent.dtype and result.dtype is not None:
        done = f"w.to(torch.{TORCH_NAMES[result.dtype]})"
    elif result.device != parent.device and result.device is not None:
        done = 'w.to("cuda")'
    else:
        done = "w.clone()"
    kind = "logical-device" if "cuda" in done else "eager-cpu"
    return program(
        [f"w = {made}"], f"kept = {done}", 'assert kept.is_leaf, "the leaf is lost"', fault, guesses, kind
    )


OF_AUTOGRAD = {
    FaultKind.INPLACE_LEAF: _of_leaf,
    FaultKind.NON_LEAF_GRAD: _of_grad,
    FaultKind.DATA: _of_data,
    FaultKind.CUT_SCALAR: _of_cut,
    FaultKind.DETACHED_WRITE: _of_detached,
    FaultKind.NO_DERIVATIVE: _of_underived,
    FaultKind.GRAD_ATTRIBUTE: _of_attribute,
    FaultKind.MODE_NOT_ENTERED: _of_mode,
    FaultKind.NON_LEAF_PARAMETER: _of_non_leaf,
}
