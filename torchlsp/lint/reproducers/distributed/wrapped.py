"""Reproduces a module in DistributedDataParallel."""

from __future__ import annotations

from torchlsp.core.finding import ProbeRequest, ProofFails, Raises
from torchlsp.facts.fault import Fault, FaultKind
from torchlsp.lint.reproducers.outline import Reproducer

_UNUSED_LAYERS = """\
import torch
import torch.distributed as dist

rank = dist.get_rank()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used = torch.nn.Linear(2, 1)
{unused}

    def forward(self, x):
        return self.used(x)


model = torch.nn.parallel.DistributedDataParallel(Model())
for _ in range(2):
    loss = model(torch.ones(2, 2)).sum()
    loss.backward()
"""


def _unfed_parameters(fault: Fault) -> ProbeRequest:
    """Reproduces a model with as many unused layers, called a second time."""
    unused = [
        f"        self.unused_{number} = torch.nn.Linear(2, 1)" for number in range(len(fault["names"]))
    ]
    program = _UNUSED_LAYERS.format(unused="\n".join(unused))
    row = next(number for number, text in enumerate(program.splitlines(), 1) if "loss = " in text)
    return ProbeRequest(
        program=program,
        expect=Raises("finished reduction"),
        kind="ranks",
        flag=(row, row),
        world=2,
        guesses=True,
    )


_BYPASSED_WRAPPER = """\
import torch
import torch.distributed as dist

rank = dist.get_rank()
layer = torch.nn.Linear(2, 1)
model = torch.nn.parallel.DistributedDataParallel(layer)
loss = model.module(torch.ones(2, 2) * (rank + 1)).sum()
loss.backward()
grads = [torch.zeros(1, 2) for _ in range(dist.get_world_size())]
dist.all_gather(grads, layer.weight.grad)
assert all(torch.equal(one, grads[0]) for one in grads), "the ranks have different gradients"
"""


def _bypassed(fault: Fault) -> ProbeRequest:
    """Reproduces a layer called without its wrapper, on ranks with different data, and compares the
    gradients."""
    return ProbeRequest(
        program=_BYPASSED_WRAPPER, expect=ProofFails(), kind="ranks", flag=(7, 8), world=2, guesses=True
    )


OF_KIND: dict[FaultKind, Reproducer] = {
    FaultKind.BYPASSED: _bypassed,
    FaultKind.UNFED_PARAMETERS: _unfed_parameters,
}
