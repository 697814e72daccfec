"""How such code is usually written, right and wrong: what is reported is named in the case's first line."""

from __future__ import annotations

import pytest

from torchlsp.core.text import Document
from torchlsp.dev.catalogue import HINTS
from torchlsp.lint.registry import rules
from torchlsp.lint.runner import run
from torchlsp.syntax.parse import SyntaxTree, parse

IMPORTS = """\
import math

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
"""

CASES = """\
=== attention merge -1: TL101
class A(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
    def forward(self, x):
        B, T, C = x.size()
        q = self.q(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        k = self.k(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        v = self.v(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).view(B, T, C)
        return y
=== attention ok:
class A(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q = nn.Linear(d, d)
    def forward(self, x):
        B, T, C = x.size()
        q = self.q(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        return q.transpose(1, 2).contiguous().view(B, T, C)
=== attention roundtrip view ok:
class A(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q = nn.Linear(d, d)
    def forward(self, x):
        B, T, C = x.size()
        q = self.q(x).view(B, T, self.h, C // self.h).transpose(1, 2)
        return q.transpose(1, 2).view(B, T, C)
=== channel shuffle missing contiguous: TL101
def channel_shuffle(x, groups):
    b, c, h, w = x.size()
    x = x.view(b, groups, c // groups, h, w)
    x = torch.transpose(x, 1, 2)
    return x.view(b, -1, h, w)
=== channel shuffle ok:
def channel_shuffle(x, groups):
    b, c, h, w = x.size()
    x = x.view(b, groups, c // groups, h, w)
    x = torch.transpose(x, 1, 2).contiguous()
    return x.view(b, -1, h, w)
=== permute then flatten view: TL101
def f(x):
    n, c, h, w = x.shape
    return x.permute(0, 2, 3, 1).view(n, h * w * c)
=== permute flatten hw ok:
def f(x):
    n, c, h, w = x.shape
    return x.permute(0, 2, 3, 1).view(n, h * w, c)
=== swin window:
def window_partition(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, ws, ws, C)
=== swin window bad: TL101
def window_partition(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).view(-1, ws, ws, C)
=== gram:
def gram(x):
    b, c, h, w = x.size()
    f = x.view(b, c, h * w)
    return f.bmm(f.transpose(1, 2)) / (c * h * w)
=== gram bad: TL105
def gram(x):
    f = x.view(2, 8, 64)
    return f.bmm(f)
gram(torch.ones(2, 8, 8, 8))
=== expand view: TL101
x = torch.randn(3, 1).expand(3, 4)
x.view(12)
=== slice view: TL101
x = torch.randn(4, 6)
y = x[:, :3].view(-1)
=== select view: TL101
def last(out):
    return out
x = torch.randn(4, 6, 5)
x[:, -1].view(20)
=== lstm last ok:
lstm = nn.LSTM(5, 7, batch_first=True)
out, (h, c) = lstm(torch.randn(2, 3, 5))
out[:, -1, :].view(2, 7)
=== lstm fc: TL121
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 7, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(7, 2)
    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1])
R()(torch.randn(2, 3, 5))
=== conv then linear: TL121
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 4 * 4, 120)
    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        return self.fc1(x)
net = Net()
for i in range(2):
    net(torch.randn(4, 3, 32, 32))
=== conv channels no input: TL121
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.bn = nn.BatchNorm2d(8)
    def forward(self, x):
        return self.bn(self.conv1(x))
=== seq no input: TL121
m = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(30, 2))
m(torch.randn(4, 10))
=== linear chain unknown input: TL121
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 20)
        self.b = nn.Linear(30, 2)
    def forward(self, x):
        return self.b(F.relu(self.a(x)))
=== ce float target loader: TL201
x = torch.randn(16, 4); y = torch.randint(0, 3, (16,)).float()
dl = DataLoader(TensorDataset(x, y), batch_size=4)
net = nn.Linear(4, 3)
crit = nn.CrossEntropyLoss()
for xb, yb in dl:
    loss = crit(net(xb), yb)
=== ce tensor floats: TL201
target = torch.tensor([1., 0., 2.])
F.cross_entropy(torch.randn(3, 4), target)
=== ce np int32: TL201
labels = torch.from_numpy(np.zeros(8, dtype=np.int32))
F.cross_entropy(torch.randn(8, 3), labels)
=== ce np default int:
labels = torch.from_numpy(np.zeros(8, dtype=int))
F.cross_entropy(torch.randn(8, 3), labels)
=== ce column unsqueeze: TL202
y = torch.randint(0, 3, (8,)).view(-1, 1)
nn.CrossEntropyLoss()(torch.randn(8, 3), y)
=== ce seq: TL204
def loss(logits, tokens):
    return F.cross_entropy(logits, tokens)
loss(torch.randn(2, 7, 100), torch.randint(0, 100, (2, 7)))
=== ce seq shift ok:
def loss(logits, labels):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = labels[..., 1:].contiguous()
    return F.cross_entropy(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))
loss(torch.randn(2, 7, 100), torch.randint(0, 100, (2, 7)))
=== ce argmax target ok:
t = torch.randn(8, 3).argmax(1)
F.cross_entropy(torch.randn(8, 3), t)
=== onehot scatter: TL203
t = torch.zeros(8, 3, dtype=torch.long).scatter_(1, torch.randint(0, 3, (8, 1)), 1)
F.cross_entropy(torch.randn(8, 3), t)
=== numpy device idiom: TL301
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
def evaluate(model, loader):
    preds = []
    with torch.no_grad():
        for x, y in loader:
            out = model(x.to(device))
            preds.extend(out.argmax(1).numpy())
    return preds
evaluate(nn.Linear(4, 3).to(device), DataLoader(TensorDataset(torch.randn(8, 4), torch.zeros(8)), 4))
=== numpy loss: TL302
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
losses = []
for _ in range(3):
    opt.zero_grad()
    loss = net(torch.randn(8, 4)).mean()
    loss.backward()
    opt.step()
    losses.append(loss.numpy())
=== numpy param: TL302
net = nn.Linear(4, 1)
w = net.weight.numpy()
=== numpy weight data ok:
net = nn.Linear(4, 1)
w = net.weight.data.numpy()
b = net.bias.detach().numpy()
=== numpy requires_grad: TL302
x = torch.linspace(0, 1, 10, requires_grad=True)
y = x ** 2
import matplotlib.pyplot as plt
plt.plot(x.detach(), y)
=== no zero grad while: TL501
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
while True:
    loss = net(torch.randn(8, 4)).mean()
    loss.backward()
    opt.step()
=== zero grad model:
def train(model, loader, opt):
    for x, y in loader:
        model.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()
=== no zero in function params: TL501
def train(model, loader, lr):
    opt = torch.optim.Adam(model.parameters(), lr)
    for epoch in range(3):
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
=== optimizer parameter: TL501
def train(model, loader, optimizer, criterion):
    model.train()
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
def main():
    model = nn.Linear(3, 3)
    train(model, [], torch.optim.SGD(model.parameters(), 0.1), nn.CrossEntropyLoss())
main()
=== accumulation ok:
def train(model, loader, opt):
    opt.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = F.mse_loss(model(x), y) / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            opt.step()
            opt.zero_grad()
=== zero before step: TL502
def train(model, loader):
    opt = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        opt.zero_grad()
        opt.step()
=== scaler: TL501
def train(model, loader):
    opt = torch.optim.Adam(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        with torch.autocast("cuda"):
            loss = F.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
=== view count: TL102
x = torch.randn(4, 3, 8, 8)
x.view(4, 200)
=== matmul T: TL105
a = torch.randn(5, 3); b = torch.randn(5, 3)
torch.matmul(a, b)
=== einops style:
x = torch.randn(2, 3, 4)
y = torch.einsum("bij,bkj->bik", x, x)
y.view(2, 9)
=== width joined:
class Net(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.wide = wide
        self.a = nn.Linear(10, 20)
        self.b = nn.Linear(10, 30)
        self.c = nn.Linear(30, 2)
    def act(self, x):
        return F.relu(x)
    def forward(self, x):
        if self.wide:
            y = self.b(x)
        else:
            y = self.a(x)
        y = self.act(y)
        return self.c(y)
=== width helper:
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 20)
        self.b = nn.Linear(20, 30)
        self.c = nn.Linear(30, 2)
    def act(self, x):
        return F.relu(x, inplace=True)
    def forward(self, x):
        y = self.act(self.a(x))
        y = self.act(self.b(y))
        return self.act(self.c(y))
=== width loop:
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(10, 20)
        self.b = nn.ModuleList([nn.Linear(20, 20) for _ in range(n)])
        self.c = nn.Linear(20, 20)
    def forward(self, x):
        x = self.a(x)
        for layer in self.b:
            x = F.relu(layer(x))
        for layer in [self.c, self.c]:
            x = layer(x)
        return x
=== width loop bad: TL121
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(10, 20)
        self.b = nn.ModuleList([nn.Linear(30, 20) for _ in range(2)])
    def forward(self, x):
        x = self.a(x)
        for layer in self.b:
            x = layer(x)
        return x
=== sequential in module unknown input: TL121
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3))
    def forward(self, x):
        return self.features(x)
=== lstm chain: TL121
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(100, 32)
        self.lstm = nn.LSTM(64, 128)
    def forward(self, x):
        out, _ = self.lstm(self.emb(x))
        return out
=== lstm to linear: TL121
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(100, 32)
        self.lstm = nn.LSTM(32, 128, bidirectional=True)
        self.fc = nn.Linear(128, 2)
    def forward(self, x):
        out, _ = self.lstm(self.emb(x))
        return self.fc(F.dropout(out, 0.1, self.training))
=== rank tests of one process without a group:
def main(args):
    if args.local_rank != -1:
        dist.init_process_group(backend="nccl")
    if args.local_rank not in [-1, 0]:
        dist.barrier()
    model = nn.Linear(3, 3)
    if args.local_rank == 0:
        dist.barrier()
    if args.local_rank != -1:
        model = DDP(model, device_ids=[args.local_rank])
        dist.barrier()
=== partners under one more condition:
def load_and_cache(args):
    if args.local_rank not in [-1, 0] and not args.evaluate:
        dist.barrier()
    features = torch.load("features.pt")
    if args.local_rank == 0 and not args.evaluate:
        dist.barrier()
    return features
=== a group of the ranks that make it:
def run(rank):
    if rank <= 1:
        dist.init_process_group("gloo", rank=rank, world_size=2)
        dist.barrier()
    if rank <= 1:
        dist.destroy_process_group()
=== a group that the others do not leave, which with some backends they need not: TL801
def run():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()
        dist.destroy_process_group()
"""


class NoOtherFiles:
    def module(self, dotted_name: str, importing_path: str) -> SyntaxTree | None:
        return None


def cases() -> list:
    found = []
    for case in CASES.split("=== ")[1:]:
        head, _, body = case.partition("\n")
        name, _, codes = head.partition(":")
        found.append(pytest.param(body, codes.split(), id=name.replace(" ", "-")))
    return found


@pytest.mark.parametrize(("source", "codes"), cases())
def test_typical_code(source: str, codes: list[str]):
    enabled = frozenset(info.code for info in rules()) - HINTS
    result = run(parse(Document("typical.py", IMPORTS + source)), NoOtherFiles(), enabled, strict=True)
    assert sorted(one.rule for one in result.findings) == codes, [one.message for one in result.findings]


def test_what_a_layer_of_a_stack_is_given_is_its_input():
    source = 'stack = nn.Sequential(nn.Flatten(), nn.Linear(4, 2)).to("cuda:1")\nstack(torch.ones(1, 2, 2))\n'
    enabled = frozenset({"TL303"})
    (found,) = run(
        parse(Document("typical.py", IMPORTS + source)), NoOtherFiles(), enabled, strict=True
    ).findings
    assert found.message == "its input is on cpu, the layer `stack` on cuda:1"


def test_a_state_on_another_device_is_not_named_as_the_weight():
    source = (
        "lstm = nn.LSTM(2, 16)\nlstm.cuda()\nstate = (torch.zeros(1, 3, 16), torch.zeros(1, 3, 16))\n"
        'lstm(torch.ones(5, 3, 2, device="cuda"), state)\n'
    )
    enabled = frozenset({"TL303"})
    (found,) = run(
        parse(Document("typical.py", IMPORTS + source)), NoOtherFiles(), enabled, strict=True
    ).findings
    assert found.message.endswith("is on cuda, the hidden state on cpu")
