"""Integers and float64 that meet float32 layers, and code that only looks like it."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(4, 3)
ids = torch.randint(0, 4, (8,))
grid = torch.arange(8).view(2, 4)
wide = torch.from_numpy(np.random.rand(8, 4))

net(F.one_hot(ids, 4))  # expect: TL214
nn.Sequential(nn.Flatten(), net)(grid)  # expect: TL214
nn.Sequential(nn.Flatten(), net)(wide)  # expect: TL213
(net(wide.float()).argmax(dim=1) == 2).mean()  # expect: TL215
nn.Embedding(4, 2)(ids)
nn.EmbeddingBag(4, 2)(grid % 4)
grid @ torch.ones(4, 3, dtype=torch.long)
grid * torch.ones(2, 4) + wide[:2]
torch.dot(wide[0], torch.ones(4))  # expect: TL213


def guarded(x):
    if not x.is_floating_point():
        x = x.float()
    return net(x)


def cast_to_weight(x):
    if x.dtype != net.weight.dtype:
        x = x.to(net.weight.dtype)
    return net(x)


guarded(grid)
cast_to_weight(wide)
net(grid.type_as(net.weight))
net(wide.to(net.weight))
net(torch.as_tensor(np.ones((2, 4)), dtype=torch.float32))
net(torch.tensor(np.ones((2, 4)).tolist()))
net(torch.FloatTensor(np.ones((2, 4))))  # expect: TL911 (info)


def tried(x):
    try:
        return net(torch.from_numpy(np.ones((2, 4))))
    except RuntimeError:
        return net(x.float())


def mixed_precision(model):
    model = nn.Linear(4, 3).cuda()
    with torch.autocast("cuda"):
        return model(torch.ones(2, 4, dtype=torch.float64, device="cuda"))


def in_double():
    torch.set_default_dtype(torch.float64)
    model = nn.Linear(4, 3)
    out = model(torch.from_numpy(np.ones((2, 4))))
    torch.set_default_dtype(torch.float32)
    return out


class Cast(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.register_buffer("basis", torch.from_numpy(np.eye(4)))
        self.table = torch.from_numpy(np.eye(4))

    def forward(self, x):
        x = self.fc(x)
        return x + self.fc(self.basis).sum()  # ok: the object is cast

    def averaged(self, mask):
        return (mask > 0).float().mean(), mask.sum() / mask.numel()


Cast().double()(torch.ones(2, 4).double())


class NotCast(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.register_buffer("basis", torch.from_numpy(np.eye(4)))

    def forward(self, x):
        return self.fc(x) + self.fc(self.basis).sum()  # expect: TL213


def mean(values):
    return sum(values) / len(values)


class Meter:
    def mean(self):
        return 0.0


mean([True, False])
Meter().mean()
grid.numpy().mean()
np.mean(grid.numpy() == 2)
grid.max(), grid.sum(), grid.median(), grid.float().std()


def frame(df, columns):
    inputs = torch.from_numpy(df[columns].values.astype("float32"))
    targets = torch.from_numpy(df["y"].to_numpy(dtype=float))
    return nn.Linear(5, 1)(inputs), nn.Linear(1, 1)(targets.unsqueeze(1))  # expect: TL213
