"""Names of parameters compared with bare ones: the flagged tests never hold, the others may."""

import torch
from torch import nn

from elsewhere import Base, options


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        self.bias_scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.body(x) * self.bias_scale


class OfUnknownKind(Base):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x)


def decay(model):
    return [p for n, p in model.named_parameters() if n != "weight"]  # expect: TL613


def wrapped(model):
    for name, parameter in nn.parallel.DistributedDataParallel(model).named_parameters():
        if "bias_scale" == name:  # expect: TL613
            parameter.requires_grad = False


decay(Net())
wrapped(Net())


# ok


def of_both(model):
    return [p for n, p in model.named_parameters() if n != "weight"]


of_both(Net())
of_both(nn.Linear(2, 2))


def unseen(model):
    return [p for n, p in model.named_parameters() if n == "weight"]


def other_texts(model, skipped):
    net = Net()
    for name, parameter in net.named_parameters():
        if name in skipped or name in options.names or name == model.name:
            continue
        if name == "nothing_like_it" or name == "bias_scale" or name in ("bias", "body.0.bias"):
            continue
        if name in "bias" or "bias" in name or name.endswith(".bias") or name.split(".")[-1] == "bias":
            continue
        last = name.rpartition(".")[2]
        if last == "bias":
            parameter.requires_grad = False


def of_a_class_not_seen():
    return [p for n, p in OfUnknownKind().named_parameters() if n == "weight"]


def each_layer():
    for module in (Net(), nn.Linear(2, 2)):
        for name, parameter in module.named_parameters():
            if name == "bias":
                nn.init.zeros_(parameter)
        for name, parameter in module.named_parameters("x"):
            if name == "bias":
                nn.init.zeros_(parameter)


def of_a_list():
    net = Net()
    names = [name for name, _ in net.named_modules()]
    return "body" in names, [n for n, _ in net.named_modules() if n == "body"]
