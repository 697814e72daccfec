"""What is saved, exported and seeded: wrapped models, modes that are not known, generators of one's own."""

import random

import numpy as np
import torch
import torch.nn as nn
from torch import FloatTensor
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.drop(self.linear(x))

    def keep(self, path):
        torch.save(self, path)  # expect: TL906

    def exported(self, x):
        return torch.export.export(self, (x,))


def wrapped(path):
    ddp = DistributedDataParallel(Net())
    torch.save(ddp.state_dict(), path)  # expect: TL906
    torch.save({"net": ddp.state_dict(), "epoch": 1}, path)  # expect: TL906
    torch.save(ddp.module.state_dict(), path)
    torch.save(Net().state_dict(), path)


def unseen(model, path):
    torch.save(model, path)


def annotated(model: nn.Module, weights: torch.Tensor, path: str):
    torch.save(weights, path)
    torch.save(model, path)  # expect: TL906


class Checkpoints:
    def __init__(self, model: nn.Module):
        self.model = model

    def write(self, path):
        torch.save(self.model, path)  # expect: TL906


class Trainer:
    def __init__(self, net):
        self.net = torch.compile(Net())
        self.other = net

    def keep(self, path):
        torch.save(self.other, path)


def named_anew(path):
    net = Net()
    net = torch.compile(net)
    net = Net()
    torch.save(net.state_dict(), path)


def export_of_some(flag):
    net = Net()
    if flag:
        net.eval()
    return torch.export.export(net, (torch.ones(2, 4),))


def export_of_loaded(path):
    net = Net()
    net.load_state_dict(torch.load(path))
    torch.onnx.export(net, torch.ones(2, 4), "m.onnx", dynamo=False)
    torch.onnx.export(net, torch.ones(2, 4), "m.onnx", training=torch.onnx.TrainingMode.TRAINING)
    return torch.onnx.export(net, (torch.ones(2, 4),), "m.onnx", dynamo=True)  # expect: TL927


def export_after_validation(batches):
    net = Net()
    for x in batches:
        net.train()
        net(x).sum().backward()
    net.eval()
    return torch.export.export(net, (torch.ones(2, 4),))


def prepared_elsewhere(prepare):
    net = Net()
    prepare(net)
    return torch.export.export(net, (torch.ones(2, 4),))


def legacy(x, sizes, n: int):
    torch.Tensor()
    torch.Tensor.add(x, x)
    nn.Parameter(torch.Tensor(3, 4)).data.zero_()
    FloatTensor([1.0, 2.0])  # expect: TL911 (info)
    torch.HalfTensor(3, 4)  # expect: TL911 (info)
    torch.Tensor(*sizes)  # expect: TL911 (info)
    torch.LongTensor(torch.ones(3, dtype=torch.int64))  # expect: TL911 (info)
    torch.IntTensor([[2**31]])  # expect: TL911
    torch.ByteTensor([-1, 255])  # expect: TL911 (info)
    return torch.Tensor(n)  # expect: TL911


def seeded_by_a_framework(seed_everything):
    torch.manual_seed(0)
    seed_everything(0)
    return np.random.rand(3)


def with_its_own_generator():
    torch.manual_seed(0)
    rng = random.Random(0)
    return rng.random()
