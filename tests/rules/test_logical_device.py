"""The logical device answers as a GPU does."""

from __future__ import annotations

import pytest
from torch_runs import Program, TorchRuns

pytestmark = pytest.mark.torch

SETUP = """import numpy as np, torch, torch.nn.functional as F
from torch import nn
here, there = torch.ones(2, 2), torch.ones(2, 2, device="cuda")
"""

WORKS = {
    "availability": 'assert torch.cuda.is_available() and torch.device("cuda" if torch.cuda.is_available() else "cpu")',
    "device is kept by views and results": 'assert str((there.t() + 1)[0].device) == "cuda:0" and there.is_cuda',
    "moving and back": "assert here.cuda().is_cuda and not there.cpu().is_cuda and there.cpu().numpy().sum() == 4",
    "to another tensor's device": "assert here.to(there).is_cuda and here.to('cuda', torch.float64).is_cuda",
    "to the same device is itself": "assert there.to('cuda') is there",
    "the copy is apart": "moved = here.cuda(); moved += 1; assert here.sum() == 4",
    "a zero-dimensional operand": "assert (there + torch.tensor(2.)).is_cuda",
    "values for Python": "assert there.sum().item() == 4 and there.tolist() == [[1, 1], [1, 1]]",
    "force": "assert there.numpy(force=True).sum() == 4",
    "assignment copies": "there[0] = torch.zeros(2)",
    "a module, its output and its gradients": (
        "net = nn.Linear(2, 3).to('cuda')\nassert net.weight.is_cuda and net(there).is_cuda\n"
        "opt = torch.optim.Adam(net.parameters())\nnet(there).sum().backward()\nopt.step()\n"
        "assert net.weight.grad.is_cuda and net.weight.is_cuda and net.weight.is_leaf"
    ),
}

RAISES = {
    "numpy": ("there.numpy()", "TypeError: can't convert cuda:0 device type tensor to numpy"),
    "asarray": ("np.asarray(there)", "TypeError: can't convert cuda:0 device type tensor to numpy"),
    "array of a result": ("np.array(there.argmax(1))", "TypeError: can't convert cuda:0 device type tensor"),
    "device before gradient": ("there.requires_grad_().numpy()", "TypeError: can't convert cuda:0"),
    "gradient after the copy": ("there.requires_grad_().cpu().numpy()", "RuntimeError: Can't call numpy"),
    "mixed sum": ("here + there", "RuntimeError: Expected all tensors to be on the same device"),
    "mixed layer": (
        "nn.Linear(2, 2).cuda()(here)",
        "RuntimeError: Expected all tensors to be on the same device",
    ),
    "mixed loss": ("F.mse_loss(here, there)", "RuntimeError: Expected all tensors to be on the same device"),
}


def end(torch_runs: TorchRuns, program: str) -> str:
    return torch_runs.run(Program(SETUP + program, emulate=True)).error


@pytest.mark.parametrize("program", WORKS.values(), ids=WORKS.keys())
def test_works(torch_runs: TorchRuns, program: str):
    assert end(torch_runs, program) == ""


@pytest.mark.parametrize(("program", "text"), RAISES.values(), ids=RAISES.keys())
def test_raises(torch_runs: TorchRuns, program: str, text: str):
    assert end(torch_runs, program).startswith(text)
