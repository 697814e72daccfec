import torch
from torch import nn
import torch.nn.functional as F


def single(x, y):
    w = torch.zeros(1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for _ in range(10):
        loss = ((w * x + b - y) ** 2).mean()
        loss.backward()  # expect: TL501
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad


def old(x, y):
    w = torch.tensor([1.0], requires_grad=True)
    for epoch in range(10):
        for a, b in zip(x, y):
            l = (a * w - b) ** 2
            l.backward()  # expect: TL501
            w.data = w.data - 0.01 * w.grad.data


def modular(loader):
    net = nn.Linear(4, 3)
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        loss.backward()  # expect: TL501
        with torch.no_grad():
            for p in net.parameters():
                p.sub_(0.1 * p.grad)


class Reg:
    def __init__(self):
        self.w = torch.randn(3, 1, requires_grad=True)
        self.b = nn.Parameter(torch.zeros(1))

    def fit(self, x, y):
        for _ in range(5):
            loss = F.mse_loss(x @ self.w + self.b, y)
            loss.backward()  # expect: TL501
            self.step()

    def step(self):
        self.w.data.add_(self.w.grad, alpha=-0.1)
        self.b.data.add_(self.b.grad, alpha=-0.1)


def ok_zero(x, y):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(10):
        loss = ((w * x - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()


def ok_fresh(model, images, y):
    for img in images:
        delta = torch.zeros(3, requires_grad=True)
        F.cross_entropy(model(img + delta), y).backward()
        delta.data += 0.1 * delta.grad.sign()  # expect: TL407 (info)


def ok_rebound(x, y):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(10):
        loss = ((w * x - y) ** 2).mean()
        loss.backward()
        w = (w - 0.1 * w.grad).detach().requires_grad_()


def ok_pgd(model, x, y):
    adv = x.clone().detach()
    for _ in range(10):
        adv.requires_grad = True
        F.cross_entropy(model(adv), y).backward()
        adv.data += 0.1 * adv.grad.sign()  # expect: TL407 (info)


def ok_pgd2(model, x, y):
    adv = x.clone().detach().requires_grad_(True)
    for _ in range(10):
        F.cross_entropy(model(adv), y).backward()
        adv.data = adv.data + 0.1 * adv.grad.sign()
        adv = adv.detach().requires_grad_()


def ok_none(x, y):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(10):
        loss = ((w * x - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None


def ok_model(loader):
    net = nn.Linear(4, 3)
    for x, y in loader:
        net.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        for p in net.parameters():
            p.data -= 0.1 * p.grad


def ok_helper(params, loader, net):
    def sgd(params):
        with torch.no_grad():
            for param in params:
                param -= 0.1 * param.grad
                param.grad.zero_()

    w = torch.zeros(3, requires_grad=True)
    for x in loader:
        (w * x).sum().backward()
        sgd([w])


def bad_helper(loader):
    def sgd(params):
        with torch.no_grad():
            for param in params:
                param -= 0.1 * param.grad

    w = torch.zeros(3, requires_grad=True)
    for x in loader:
        (w * x).sum().backward()  # expect: TL501
        sgd([w])


def ok_noise(loader):
    net = nn.Linear(4, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        net(x).sum().backward()
        for p in net.parameters():
            p.grad.add_(torch.randn_like(p))
            p.data.add_(p.grad)
        opt.step()
        opt.zero_grad()


def ok_unseen(x, reset):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        w.data -= w.grad  # expect: TL407 (info)
        reset(w)


def ok_once(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
    w.data -= w.grad  # expect: TL407 (info)


def ok_cleared_0(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.data.zero_()


def ok_cleared_1(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.mul_(0.9)  # momentum


def ok_cleared_2(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        torch.nn.init.zeros_(w.grad)


def ok_cleared_3(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad[:] = 0


def ok_cleared_4(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        del w.grad


def ok_cleared_5(x):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(3):
        (w * x).sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        torch._foreach_zero_([w.grad])
