"""Reproduces optimizers with wrong parameters, created at the wrong time, or with gradients of two losses."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.reproducers.outline import NotReproducible, Reproducer
from torchlsp.lint.reproducers.program_text import around_row, with_flags
from torchlsp.lint.reproducers.training.one_layer_model import BACKWARD

_GIVEN = {
    "module": ([], "model", Raises("not iterable|can only optimize Tensors", "TypeError")),
    "tensor": ([], "model.weight", Raises("an iterable of Tensors or dicts", "TypeError")),
    "consumed": (["params = model.parameters()", "rest = list(params)"], "params", Raises("empty parameter list", "ValueError")),
    "frozen": (
        ["model.requires_grad_(False)"],
        "[p for p in model.parameters() if p.requires_grad]",
        Raises("empty parameter list", "ValueError"),
    ),
    "bare": (["model = torch.nn.Sequential(torch.nn.ReLU())"], "model.parameters()", Raises("empty parameter list", "ValueError")),
    "empty": ([], "[]", Raises("empty parameter list", "ValueError")),
    "generator": ([], "[model.parameters()]", Raises("can only optimize Tensors", "TypeError")),
    "item": ([], "[model]", Raises("can only optimize Tensors", "TypeError")),
    "non-leaf": (["result = model.weight * 2"], "[result]", Raises("non-leaf", "ValueError")),
    "twice": (
        [],
        '[{"params": model.parameters()}, {"params": model.parameters()}]',
        Raises("more than one parameter group", "ValueError"),
    ),
    "sum": ([], "model.parameters() + model.parameters()", Raises("unsupported operand", "TypeError")),
}  # fmt: skip
"""By reason: the preceding lines, the optimizer's argument, and torch's message."""


def _optimizer_params(fault: Fault) -> ProbeRequest:
    """Reproduces the creation of the optimizer with what it refuses."""
    before, given, expect = _GIVEN[fault["reason"]]
    name = fault.op if fault.op.startswith("torch.optim.") else "torch.optim.SGD"
    if name.count(".") != 2 or isinstance(fault["params"], v.Wrapped):
        raise NotReproducible("which optimizer it is")
    rows = ["import torch", "", "model = torch.nn.Linear(2, 2)", *before, f"{name}({given})"]
    return ProbeRequest(program="\n".join(rows) + "\n", expect=expect, flag=(len(rows), len(rows)))


def _recreated(fault: Fault) -> ProbeRequest:
    """Reproduces three iterations with Adam, which counts its steps."""
    rows = [
        "import torch",
        "",
        "model = torch.nn.Linear(2, 1)",
        "for turn in range(3):",
        "    optimizer = torch.optim.Adam(model.parameters())  #!",
        "    optimizer.zero_grad()",
        f"    {BACKWARD}",
        "    optimizer.step()",
        "",
        'assert optimizer.state[model.weight]["step"] == 3, "the optimizer has forgotten its steps"',
    ]
    return with_flags("\n".join(rows), ProofFails())


def _stale_parameters(fault: Fault) -> ProbeRequest:
    """Reproduces one step after a layer of the same kind of model was replaced, to see whether the new one
    changes."""
    rows = [
        "import torch",
        "",
        "model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
        "model[1] = torch.nn.Linear(2, 1)  #!",
        "start = model[1].weight.detach().clone()",
        BACKWARD,
        "optimizer.step()",
        "",
        'assert not torch.equal(model[1].weight, start), "the new weights have not changed"',
    ]
    if fault["how"] == "bound":
        rows[4] = "model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))  #!"
    return with_flags("\n".join(rows), ProofFails())


def _not_detached(fault: Fault) -> ProbeRequest:
    lines = [
        "first = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())",
        "second = torch.nn.Linear(2, 1)",
        "made = first(torch.ones(3, 2))",
        "second(made).mean().backward()",
        "loss = second(made).sum()",
    ]
    return around_row(lines, "loss.backward()", "", fault, False)


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.NOT_DETACHED: _not_detached,
    FaultKind.OPTIMIZER_PARAMS: _optimizer_params,
    FaultKind.STALE_PARAMETERS: _stale_parameters,
    FaultKind.RECREATED: _recreated,
}
