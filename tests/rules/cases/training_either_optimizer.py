"""One of several optimizers over the same parameters, chosen by a setting; and parameters that a filter gives once."""

import torch
from torch import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))


def by_branch(name, data):
    net = Net()
    if name == "adam":
        opt = optim.Adam(net.parameters())
    else:
        opt = optim.SGD(net.parameters(), lr=0.1)
    for x in data:
        loss = net(x).sum()
        loss.backward()  # expect: TL501
        opt.step()


def by_expression(net, adam, data):
    opt = optim.Adam(net.parameters()) if adam else optim.SGD(net.parameters(), lr=0.1)
    for x in data:
        opt.zero_grad()
        loss = net(x).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    for x in data:
        loss = net(x).sum()
        loss.backward()
        opt.zero_grad()  # expect: TL502
        opt.step()


def by_class(net, name, data):
    kinds = {"adam": optim.Adam, "sgd": optim.SGD}
    opt = kinds[name](net.parameters(), lr=0.1)
    for x in data:
        loss = net(x).sum()
        loss.backward()  # expect: TL501
        opt.step()


def by_name(net, name, data):
    opt = getattr(torch.optim, name)(net.parameters(), lr=0.1, momentum=0.9)
    for x in data:
        loss = net(x).sum()
        loss.backward()  # expect: TL501
        opt.step()


def cleared_each(net, adam, data):
    first, second = optim.Adam(net.parameters()), optim.SGD(net.parameters(), lr=0.1)
    opt = first if adam else second
    for x in data:
        first.zero_grad()
        second.zero_grad()
        net(x).sum().backward()
        opt.step()


def of_two_parts(data, flip):
    net = Net()
    one, other = optim.Adam(net.body.parameters()), optim.Adam(net.head.parameters())
    for x in data:
        opt = one if flip else other
        one.zero_grad()
        other.zero_grad()
        net(x).sum().backward()
        opt.step()


def with_closure(net, quick, data):
    opt = optim.LBFGS(net.parameters()) if quick else optim.SGD(net.parameters(), lr=0.1)
    for x in data:

        def closure():
            opt.zero_grad()
            loss = net(x).sum()
            loss.backward()
            return loss

        opt.step(closure)


def exchanged(data, finetune):
    net = Net()
    opt = optim.Adam(net.parameters())
    if finetune:
        net.head = nn.Linear(4, 3)
        opt = optim.SGD(net.parameters(), lr=0.1)
    for x in data:
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()


def switched(data):
    net = Net()
    opt = optim.Adam(net.parameters())
    for epoch in range(20):
        if epoch == 10:
            opt = optim.SGD(net.parameters(), lr=0.1)
        for x in data:
            opt.zero_grad()
            net(x).sum().backward()
            opt.step()


def filtered(net):
    trained = filter(lambda p: p.requires_grad, net.parameters())
    print(sum(p.numel() for p in trained))
    optim.Adam(trained)  # expect: TL513
    kept = list(filter(lambda p: p.requires_grad, net.parameters()))
    print(sum(p.numel() for p in kept))
    optim.Adam(filter(lambda p: p.requires_grad, net.parameters()))
    return optim.Adam(kept)
