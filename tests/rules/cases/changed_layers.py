"""Layers are what the program has made of them: attributes that they read when called, modules replaced under computed names."""

import functools

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(self.body(x))


class Dilated(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, padding=1)
        self.second = nn.Conv2d(4, 4, 3, stride=2, padding=1)
        self.fc = nn.Linear(4 * 8 * 8, 2)
        for name, module in self.second.named_modules():
            if isinstance(module, nn.Conv2d):
                module.dilation, module.padding, module.stride = (2, 2), (2, 2), (1, 1)

    def forward(self, x):
        return self.fc(self.second(self.first(x)).flatten(1))


def runs_with_other_strides():
    return Dilated()(torch.randn(1, 3, 8, 8))


def keeps_its_stride():
    layer = nn.Conv2d(3, 4, 3, stride=2, padding=1)
    layer.note = "kept"
    return nn.Linear(4 * 8 * 8, 2)(layer(torch.randn(1, 3, 8, 8)).flatten(1))  # expect: TL121


def other_attributes(x):
    pool = nn.MaxPool1d(2)
    pool.kernel_size = pool.stride = 4
    first = nn.Linear(2, 1)(pool(torch.randn(1, 1, 8)))
    loss = nn.CrossEntropyLoss()
    loss.reduction = "none"
    each = loss(torch.randn(3, 2), torch.tensor([0, 1, 1])).view(3)
    recurrent = nn.GRU(3, 4)
    recurrent.batch_first = True
    output, state = recurrent(torch.randn(2, 5, 3), torch.randn(1, 2, 4))
    norm = nn.LayerNorm(4)
    norm.normalized_shape = (2,)
    norm.weight = norm.bias = None
    return first, each, output, norm(torch.randn(3, 2))


def stride_set():
    layer = nn.Conv1d(2, 3, 3)
    layer.stride = (2,)
    return torch.randn(1, 3, 6) + layer(torch.randn(1, 2, 8))  # expect: TL127


def put_inside(model, path, new):
    *parents, last = path.split(".")
    for name in parents:
        model = getattr(model, name)
    if last.isdigit():
        model[int(last)] = new
    else:
        setattr(model, last, new)


def replaced_at_a_path():
    net = Net()
    put_inside(net, "body.0", nn.Linear(7, 4))
    return net(torch.rand(2, 7))


def replaced_below_a_reduced_path(path):
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    setattr(functools.reduce(getattr, path.split(".")[:-1], net), path.split(".")[-1], nn.Linear(7, 4))
    return net(torch.rand(2, 7))


def replaced_in_a_dict_of_modules(path):
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    parent, name = path.rsplit(".", 1)
    dict(net.named_modules())[parent]._modules[name] = nn.Linear(7, 4)
    return net(torch.rand(2, 7))


def replaced_by_apply():
    def replace(module):
        if isinstance(module, Net):
            module.body[0] = nn.Linear(7, 4)

    net = Net()
    net.apply(replace)
    return net(torch.rand(2, 7))


def initialised_by_apply():
    def initialise(module):
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.weight)
            module.bias.data.fill_(1.0)

    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    net.apply(initialise)
    return net(torch.rand(2, 7))  # expect: TL105


def replaced_in_a_submodule():
    net = Net()
    parent = net.get_submodule("body")
    parent[0] = nn.Linear(7, 4)
    net.get_submodule("fc").weight = nn.Parameter(torch.rand(3, 4))
    net.get_submodule("fc").bias = None
    return net(torch.rand(2, 7))


def looked_at_only(kept):
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for name, module in net.named_modules():
        kept[name] = module
    kept.count = len(kept)
    return net(torch.rand(2, 7))  # expect: TL105


def evaluates_norms(module):
    if "BatchNorm" in module.__class__.__name__:
        module.eval()


def frozen_norms():
    net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    net.train()
    net.apply(evaluates_norms)
    return net(torch.rand(1, 3))


def resized_by_out():
    x = torch.empty(0)
    torch.mm(torch.ones(2, 3), torch.ones(3, 4), out=x)
    values, places = torch.empty(0), torch.empty(0, dtype=torch.long)
    torch.max(torch.randn(3, 4), 1, out=(values, places))
    return x @ torch.ones(4, 1), values.view(3)


def set_to_another():
    x = torch.zeros(2, 3)
    x.set_(torch.zeros(4, 5))
    return x @ torch.zeros(5, 1)


def first_that_works(a, b):
    try:
        return a + b
    except RuntimeError:
        pass
    return a + b.view(3, 1)


def add():
    return first_that_works(torch.rand(2, 3), torch.rand(3))


def expect_error(function, *args, error=RuntimeError):
    try:
        function(*args)
    except error:
        return True
    return False


def refused():
    return expect_error(torch.stack, [torch.zeros(1), torch.zeros(2)])


def marked(places):
    rows = torch.zeros(4)
    rows[torch.tensor([0, 1], device="cuda")] = 1
    return rows


def read(places):
    rows = torch.zeros(4)
    return rows[torch.tensor([0, 1], device="cuda")]  # expect: TL303
