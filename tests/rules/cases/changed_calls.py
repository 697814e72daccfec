"""What a call does is unknown once the program has changed it: hooks, other classes, methods and functions put in its place."""

import os
from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn


class Sliced(nn.Linear):
    def forward(self, x):
        return F.linear(x[..., :4], self.weight, self.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(x)


def hook_that_returns():
    net = Net()
    net.head.register_forward_hook(lambda module, given, output: output.argmax(-1))
    return F.one_hot(net(torch.randn(3, 4)), 2)


def hook_that_stores(kept):
    net = Net()
    net.head.register_forward_hook(lambda module, given, output: kept.append(output.detach()))
    return F.one_hot(net(torch.randn(3, 4)), 2)  # expect: TL219


def hook_before_the_call():
    layer = nn.Linear(4, 2)
    layer.register_forward_pre_hook(lambda module, given: (given[0][:, :4],))
    return layer(torch.randn(2, 11))


def hook_that_prints():
    layer = nn.Linear(4, 2)
    layer.register_forward_pre_hook(lambda module, given: print(given[0].shape))
    return layer(torch.randn(2, 11))  # expect: TL105


class Hooks:
    def __init__(self, model, function):
        self.handles = [
            module.register_forward_pre_hook(function)
            for module in model.modules()
            if isinstance(module, nn.Linear)
        ]


def hooks_on_all_modules():
    net = Net()
    Hooks(net, lambda module, given: (given[0][:, : module.in_features],))
    return net(torch.randn(3, 9))


def other_class():
    layer = nn.Linear(4, 2)
    layer.__class__ = Sliced
    return layer(torch.randn(2, 9))


def forward_in_dict():
    layer = nn.Linear(4, 2)
    layer.__dict__["forward"] = lambda x: x.sum()
    return layer(torch.randn(3, 3))


def other_order():
    layers = OrderedDict([("x", nn.Linear(2, 3)), ("y", nn.Linear(3, 2))])
    layers.move_to_end("x")
    return nn.Sequential(layers)(torch.randn(1, 3))


def function_replaced():
    before = F.softmax
    F.softmax = lambda x, dim=None: x.sum()
    total = F.softmax(torch.randn(3, 4), dim=5)
    F.softmax = before
    return total + F.log_softmax(torch.randn(3, 4), dim=5)  # expect: TL122


def forward_of_all_replaced():
    nn.Bilinear.forward = lambda self, a, b: a
    return nn.Bilinear(2, 2, 3)(torch.randn(1, 5), torch.randn(1, 5))


def moved_by_its_type(x):
    net = Net()
    net.type(torch.cuda.FloatTensor)
    return net(x.cuda())


def not_moved():
    layer = nn.Linear(4, 2)
    layer.type(torch.DoubleTensor)
    return layer(torch.randn(3, 4, dtype=torch.float64, device="cuda"))  # expect: TL303


def without_a_gpu():
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    x = torch.randn(3, 4)
    if torch.cuda.is_available():
        x = x.cuda()
    return Net()(x)


def either(count, flag):
    if flag:
        return [[(1, 2)] for i in range(count)]
    return [[(2, 3)] for i in range(count)]


def lists_that_grow(x, count, flag):
    kept = either(count, flag)
    for i in range(count):
        kept[i].append((x, x))
    return torch.stack([pair[0] for pair in kept[-1][1:]], 1)


def rows_that_grow(x, count, flag):
    kept = either(count, flag)
    for row in kept:
        row.append((x, x))
    return torch.stack([pair[0] for pair in kept[-1][1:]], 1)
