"""What optimizers refuse to be given, as small programs: a model of one layer, and the same kind of mistake."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, Raises
from torchlsp.facts import values as v
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.replay_outline import Unreplayable

_GIVEN = {
    "module": ([], "model", Raises("not iterable|can only optimize Tensors", "TypeError")),
    "tensor": ([], "model.weight", Raises("an iterable of Tensors or dicts", "TypeError")),
    "consumed": (["params = model.parameters()", "rest = list(params)"], "params", Raises("empty parameter list", "ValueError")),
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
"""By reason: what comes before, what the optimizer is given, and what torch says of it."""


def of_params(fault: Fault) -> ProbeRequest:
    """The optimizer made again, on what it refuses."""
    before, given, expect = _GIVEN[fault["reason"]]
    name = fault.op if fault.op.startswith("torch.optim.") else "torch.optim.SGD"
    if name.count(".") != 2 or isinstance(fault["params"], v.Wrapped):
        raise Unreplayable("which optimizer it is")
    rows = ["import torch", "", "model = torch.nn.Linear(2, 2)", *before, f"{name}({given})"]
    return ProbeRequest(program="\n".join(rows) + "\n", expect=expect, flag=(len(rows), len(rows)))


OF_OPTIMIZERS = {FaultKind.OPTIMIZER_PARAMS: of_params}
