import torch
from torch import nn
import torch.optim as optim

def closure_style(model, x, y):
    opt = optim.LBFGS(model.parameters())
    for _ in range(10):
        def closure():
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            return loss
        opt.step(closure)

def meta(model, tasks):
    opt = optim.SGD(model.parameters(), 0.1)
    for t in tasks:
        inner = nn.Linear(3, 3)
        io = optim.SGD(inner.parameters(), 0.1)
        inner(t).sum().backward()
        io.step()
        opt.zero_grad(set_to_none=True)
        model(t).sum().backward()
        opt.step()

class Base:
    def zero(self):
        for o in self.optimizers:
            o.zero_grad()

class T(Base):
    def __init__(self, net):
        self.net = net
        self.opt = optim.Adam(net.parameters())
        self.optimizers = [self.opt]
    def run(self, data):
        for x in data:
            self.zero()
            self.net(x).sum().backward()
            self.opt.step()

class U:
    def __init__(self, net: nn.Module):
        self.net = net
        self.opt = optim.Adam(net.parameters())
    def run(self, data):
        for x in data:
            self.net(x).sum().backward()  # expect: TL501
            self.opt.step()

def while_loop(n):
    w = torch.zeros(3, requires_grad=True)
    o = optim.SGD([w], lr=0.1)
    i = 0
    while i < n:
        loss = (w ** 2).sum()
        loss.backward()  # expect: TL501
        o.step()
        i += 1

def only_once(model, loader):
    o = optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        model(x).sum().backward()
        o.step()
        break

def wrong_order(model, loader):
    o = optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        o.zero_grad()  # expect: TL502
        o.step()

def manual(model, loader):
    o = optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        model(x).sum().backward()
        o.step()
        with torch.no_grad():
            for p in model.parameters():
                p.grad.zero_()
def unknown_helper(model, loader, hooks):
    o = optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        model(x).sum().backward()
        o.step()
        hooks.after_step(o)

def by_hand(x):
    shift, scale = torch.zeros(3, requires_grad=True), torch.ones(3, requires_grad=True)
    params = [shift, scale]
    opt = optim.Adam(params, lr=0.1)
    for i in range(3):
        for p in params:
            if p.grad is not None:
                p.grad.data.zero_()
        (shift * x + scale).sum().backward()
        opt.step()
    for i in range(3):
        for p in params:
            p.grad.detach().fill_(0)
        (shift * x + scale).sum().backward()
        opt.step()
    for i in range(3):
        for p in params:
            p.grad.data = torch.zeros(3)
        (shift * x + scale).sum().backward()
        opt.step()
    for i in range(3):
        for p in params:
            p.grad.data.mul_(0.0)
        (shift * x + scale).sum().backward()
        opt.step()

def scaled_only(x):
    shift = torch.zeros(3, requires_grad=True)
    opt = optim.Adam([shift], lr=0.1)
    for i in range(3):
        (shift * x).sum().backward()  # expect: TL501
        shift.grad.data.mul_(0.5)
        opt.step()

by_hand(torch.ones(3))
scaled_only(torch.ones(3))
