"""The logical device against what CUDA does, case by case, as the kernels' rules say it.

The programs are run on the emulated device; nothing here was run on a GPU yet.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch

SETUP = """import copy, numpy as np, torch, torch.nn.functional as F
from torch import nn
R = torch.randn
"""
MIXED = "Expected all tensors to be on the same device"
NOT_HOST = "can't convert cuda:0 device type tensor to numpy"
INDICES = "indices should be either on cpu or on the same device as the indexed tensor"

PASS = {
    "0-dim cpu operand": "R(2, 3).cuda() + torch.tensor(2.)",
    "two 0-dim": "assert (torch.tensor(1.) + torch.tensor(1.).cuda()).is_cuda",
    "arange moved": "x = R(2, 5).cuda(); x * torch.arange(5, device=x.device)",
    "cpu indices": "assert R(5).cuda()[torch.tensor([0, 1])].is_cuda",
    "cpu mask as index": "R(3).cuda()[torch.ones(3, dtype=torch.bool)]",
    "cuda number as index of a cpu tensor": "assert not R(3)[torch.tensor(1).cuda()].is_cuda",
    "slice = cpu tensor": "R(4).cuda()[0:2] = R(2)",
    "place = cpu number": "R(4).cuda()[0] = torch.tensor(1.)",
    "places = cpu number": "R(4).cuda()[torch.tensor([0, 1])] = torch.tensor(1.)",
    "copy_ from cpu": "R(3).cuda().copy_(R(3))",
    "non-blocking": "assert R(2).to('cuda', non_blocking=True).is_cuda",
    "from numpy": "torch.from_numpy(np.ones((2, 3), np.float32)).to('cuda')",
    "as_tensor of numpy": "torch.as_tensor(np.ones(3, np.float32)).to('cuda') + R(3).cuda()",
    "tensor with device": "torch.tensor([1., 2.], device='cuda') * R(2).cuda()",
    "as_tensor with device": "torch.as_tensor([1., 2.], device='cuda') * R(2).cuda()",
    "as_tensor back to cpu": "x = R(2).cuda(); assert not torch.as_tensor(x, device='cpu').is_cuda and x.is_cuda",
    "as_tensor of itself": "x = R(2).cuda(); assert torch.as_tensor(x) is x",
    "zeros_like": "R(3).cuda() + torch.zeros_like(R(3).cuda())",
    "type_as": "R(3).cuda() + torch.ones(3).type_as(R(3).cuda())",
    "new_zeros": "R(3).cuda() + R(1).cuda().new_zeros(3)",
    "new_tensor": "R(3).cuda() + R(1).cuda().new_tensor([1., 2., 3.])",
    "dtype and device": "assert R(3).to('cuda', torch.half).dtype is torch.half",
    "to another": "R(3).to(R(1).cuda()) + R(3).cuda()",
    "to its own dtype": "x = R(3); assert x.to(torch.float32) is x",
    "to with copy": "x = R(3).cuda(); assert x.to('cuda', copy=True) is not x",
    "to meta": "assert R(3).cuda().to('meta').is_meta",
    "tolist": "R(3).cuda().tolist()",
    "float": "float(R(1).cuda())",
    "cpu, then numpy": "R(3).cuda().cpu().numpy()",
    "module moved": "assert nn.Linear(3, 4).to('cuda').weight.is_cuda",
    "module copied": "copy.deepcopy(nn.Linear(3, 4).cuda())(R(2, 3).cuda())",
    "buffers move": "nn.BatchNorm1d(3).cuda()(R(4, 3).cuda())",
    "loss with weights moved": (
        "nn.CrossEntropyLoss(weight=torch.ones(3)).cuda()(R(2, 3).cuda(), torch.zeros(2).long().cuda())"
    ),
    "a training step": (
        "net = nn.Sequential(nn.Linear(3, 4, device='cuda'), nn.ReLU(), nn.Linear(4, 2, device='cuda'))\n"
        "opt = torch.optim.AdamW(net.parameters())\n"
        "F.cross_entropy(net(R(5, 3, device='cuda')), torch.zeros(5, dtype=torch.long, device='cuda')).backward()\n"
        "opt.step()\nassert net[0].weight.grad.is_cuda"
    ),
    "optimizer made before the move": (
        "net = nn.Linear(3, 4); opt = torch.optim.Adam(net.parameters()); net.to('cuda')\n"
        "net(R(2, 3).cuda()).sum().backward(); opt.step()"
    ),
    "backward": "x = R(3, device='cuda', requires_grad=True); (x * 2).sum().backward(); assert x.grad.is_cuda",
    "autograd.grad": (
        "x = R(3, device='cuda', requires_grad=True); g, = torch.autograd.grad((x * x).sum(), x); g + R(3).cuda()"
    ),
    "clip_grad_norm_": (
        "net = nn.Linear(3, 4).cuda(); net(R(2, 3).cuda()).sum().backward()\n"
        "nn.utils.clip_grad_norm_(net.parameters(), 1.) + torch.ones(1).cuda()"
    ),
    "device as a context": "with torch.device('cuda'): x = torch.ones(3)\nassert (x + R(3).cuda()).is_cuda",
    "transformer layer": "nn.TransformerEncoderLayer(8, 2, batch_first=True).cuda()(R(2, 3, 8).cuda())",
    "packed sequence with cpu lengths": (
        "packed = nn.utils.rnn.pack_padded_sequence(R(4, 2, 3).cuda(), torch.tensor([4, 2]))\n"
        "out, _ = nn.LSTM(3, 5).cuda()(packed)\npadded, lengths = nn.utils.rnn.pad_packed_sequence(out)\n"
        "assert padded.is_cuda and not lengths.is_cuda"
    ),
    "ctc loss with cpu lengths": (
        "F.ctc_loss(R(5, 2, 4).cuda().log_softmax(2), torch.ones(2, 3, dtype=torch.long).cuda(), [5, 5], [3, 3])"
    ),
    "equal places": "assert R(3).cuda(0).get_device() == 0 and R(3).get_device() == -1",
}
RAISE = {
    "numpy": ("R(2).cuda().numpy()", NOT_HOST),
    "asarray": ("np.asarray(R(2, device='cuda'))", NOT_HOST),
    "array of a list": ("np.array([R(1).cuda(), R(1).cuda()])", ""),
    "np.mean": ("np.mean(R(3).cuda())", ""),
    "detach, then numpy": ("R(3, requires_grad=True).cuda().detach().numpy()", NOT_HOST),
    "sum": ("R(2).cuda() + R(2)", MIXED),
    "cpu vector and cuda number": ("R(3) + torch.tensor(1.).cuda()", MIXED),
    "two cuda devices": ("R(3, device='cuda:0') + R(3, device='cuda:1')", MIXED),
    "two cuda devices by method": ("R(3).cuda(0) + R(3).cuda(1)", MIXED),
    "add_": ("R(3).cuda().add_(R(3))", MIXED),
    "matmul": ("R(2, 3).cuda() @ R(3, 4)", MIXED),
    "bmm": ("torch.bmm(R(2, 3, 4).cuda(), R(2, 4, 3))", MIXED),
    "einsum": ("torch.einsum('ij,jk->ik', R(2, 3).cuda(), R(3, 2))", MIXED),
    "linear": ("F.linear(R(2, 3).cuda(), R(4, 3))", MIXED),
    "conv": ("nn.Conv2d(3, 4, 1)(R(2, 3, 4, 4).cuda())", MIXED),
    "module left behind": ("nn.Linear(3, 4)(R(2, 3).cuda())", MIXED),
    "embedding": ("F.embedding(torch.zeros(2, dtype=torch.long), R(3, 4).cuda())", MIXED),
    "state of an LSTM": (
        "nn.LSTM(3, 4).cuda()(R(2, 2, 3).cuda(), (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)))",
        MIXED,
    ),
    "attention mask": (
        "x = R(3, 1, 8).cuda(); nn.MultiheadAttention(8, 2).cuda()(x, x, x, attn_mask=torch.zeros(3, 3))",
        MIXED,
    ),
    "cross entropy": ("F.cross_entropy(R(2, 3).cuda(), torch.zeros(2).long())", MIXED),
    "class weights": (
        "F.cross_entropy(R(2, 3).cuda(), torch.zeros(2).long().cuda(), weight=torch.ones(3))",
        MIXED,
    ),
    "mse": ("F.mse_loss(R(3).cuda(), R(3))", MIXED),
    "batch norm with cpu statistics": ("F.batch_norm(R(4, 3).cuda(), torch.zeros(3), torch.ones(3))", MIXED),
    "cat": ("torch.cat([R(2).cuda(), R(2)])", MIXED),
    "stack": ("torch.stack([R(2).cuda(), R(2)])", MIXED),
    "stack of numbers": ("torch.stack([torch.tensor(1.).cuda(), torch.tensor(1.)])", MIXED),
    "where": ("torch.where(R(3) > 0, R(3).cuda(), R(3).cuda())", MIXED),
    "masked_fill": ("R(3).cuda().masked_fill(torch.ones(3, dtype=torch.bool), 0.)", MIXED),
    "arange left behind": ("x = R(2, 5).cuda(); x * torch.arange(x.size(1))", MIXED),
    "scatter": ("torch.zeros(3, 4).cuda().scatter_(1, torch.zeros(3, 1, dtype=torch.long), 1.)", MIXED),
    "gather": ("torch.gather(R(3, 4).cuda(), 1, torch.zeros(3, 1, dtype=torch.long))", MIXED),
    "cuda indices of a cpu tensor": ("R(5)[torch.zeros(2, dtype=torch.long).cuda()]", INDICES),
    "places = cpu tensor": ("R(4).cuda()[torch.tensor([0, 1]).cuda()] = R(2)", MIXED),
    "mask = cpu tensor": ("x = torch.ones(2).cuda(); x[x > 0] = R(2)", MIXED),
    "listed places = cpu tensor": ("R(4).cuda()[[0, 1]] = R(2)", MIXED),
    "places in an array = cpu tensor": ("R(4).cuda()[np.array([0, 1])] = R(2)", MIXED),
    "a plain tensor of a module": (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__(); self.m = torch.ones(3)\n"
        "    def forward(self, x): return x * self.m\nM().to('cuda')(R(2, 3).cuda())",
        MIXED,
    ),
    "data put back on the cpu": (
        "net = nn.Linear(3, 4).cuda(); net.weight.data = net.weight.data.cpu(); net(R(2, 3).cuda())",
        MIXED,
    ),
    "gradient on another device": ("x = R(3).cuda(); x.grad = R(3)", "gradient"),
    "pinning": ("R(3).cuda().pin_memory()", "cannot pin"),
    "packed sequence with cuda lengths": (
        "torch._VF._pack_padded_sequence(R(4, 2, 3).cuda(), torch.tensor([4, 2]).cuda(), False)",
        "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0",
    ),
}


@pytest.mark.parametrize("program", PASS.values(), ids=PASS.keys())
def test_passes_as_on_a_gpu(run, program: str):
    answer = run(SETUP + program + "\n", "logical-device")
    assert answer.outcome == "passed", answer.error


@pytest.mark.parametrize(("program", "text"), RAISE.values(), ids=RAISE.keys())
def test_raises_as_on_a_gpu(run, program: str, text: str):
    answer = run(SETUP + program + "\n", "logical-device")
    assert answer.outcome == "raised", answer
    assert text in answer.error.text


def test_nothing_of_the_emulation_is_left_for_the_next_program(open_worker):
    from torchlsp.probe.request import Request

    programs = [
        Request("import torch\ntorch.ones(2).cuda()\n", "logical-device"),
        Request("import torch\nassert not torch.cuda.is_available() and torch.cuda.device_count() == 0\n"),
    ]
    assert [answer.outcome for answer in open_worker.run(programs, 5)] == ["passed", "passed"]
