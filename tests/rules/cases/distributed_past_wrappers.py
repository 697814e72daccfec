"""Models in DistributedDataParallel that are called past their wrapper, and what makes that right."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from somewhere import criterion


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def features(self, x):
        return torch.relu(self.body(x))

    def forward(self, x):
        return self.head(self.features(x))


def under_its_old_name(x):
    net = Net()
    model = DDP(net)
    out = net(x)  # expect: TL811
    out.mean().backward()
    return model


def one_of_its_methods(x):
    model = DDP(Net())
    loss = model.module.features(x).sum()  # expect: TL811
    loss.backward()


def forward_by_its_name(x):
    model = DDP(Net())
    model.module.forward(x).sum().backward()  # expect: TL811


def unwrap(model):
    return model.module


def through_a_helper(x):
    model = DDP(Net())
    raw = unwrap(model)
    loss = nn.functional.mse_loss(raw(x), torch.zeros(2, 1))  # expect: TL811
    loss.backward()


def a_part_of_it(x):
    model = DDP(Net())
    hidden = model.module.body(x)  # expect: TL811
    hidden.sum().backward()


def before_it_is_wrapped(x):
    net = Net()
    net(x).sum().backward()
    return DDP(net)


def wrapped_for_some(x, distributed):
    net = Net()
    model = DDP(net) if distributed else net
    net(x).sum().backward()
    return model


def both_ways(x):
    model = DDP(Net())
    loss = model(x).sum() + model.module.features(x).sum()
    loss.backward()


def ready_from_before(x):
    model = DDP(Net())
    out = model(x)
    model.module.features(x).sum().backward()
    return out


def only_judged(x):
    model = DDP(Net())
    model(x).sum().backward()
    with torch.no_grad():
        return model.module(x).sum()


def frozen(x):
    net = Net().requires_grad_(False)
    model = DDP(net)
    scale = nn.Parameter(torch.ones(1))
    (model.module(x) * scale).sum().backward()


def another_model(x):
    model = DDP(Net())
    judge = Net()
    judge(x).sum().backward()
    return model


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)

    def forward(self, ids):
        return self.table(ids)

    def loss(self, ids):
        return self(ids).mean()


def looked_up(ids):
    model = DDP(Words())
    loss = model.module.loss(ids)  # expect: TL811
    loss.backward()
