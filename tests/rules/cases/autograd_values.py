"""Values of tensors in a graph that are written to, added up or collected: what changes more than it should, and what does not."""

from collections import deque

import torch
from torch import nn

criterion = nn.MSELoss()


def thresholded(x):
    out = nn.Linear(4, 3)(torch.ones(2, 4))
    mask = out.detach()
    mask.gt_(0)  # expect: TL408
    return out * mask


def thresholded_copy(x):
    out = nn.Linear(4, 3)(torch.ones(2, 4))
    mask = out.detach() > 0
    mask[0] = True
    copy = out.detach().clone()
    copy[0] = 1
    other = out.detach().double()
    other[0] = 1
    return out * mask


def not_read_again(x):
    out = nn.Linear(4, 3)(torch.ones(2, 4))
    loss = out.sum()
    shown = out.detach()
    shown.clamp_(0, 1)
    return loss, shown


def bound_anew(x):
    out = nn.Linear(4, 3)(torch.ones(2, 4))
    shown = out.detach()
    shown.clamp_(0, 1)
    out = torch.zeros(3)
    return out, shown


def of_a_parameter():
    layer = nn.Linear(4, 3)
    weight = layer.weight.detach()
    weight.mul_(0.5)
    return layer.weight, weight


def maybe_copied(copy):
    out = nn.Linear(4, 3)(torch.ones(2, 4))
    part = out.detach().clone() if copy else out.detach()
    part[0] = 1
    return out


def in_a_loop(steps):
    out = nn.Linear(4, 3)(torch.ones(2, 4))
    total = 0.0
    for _ in range(steps):
        total += out.sum().item()
        part = out.detach()[0]
        part += 1  # expect: TL408
    return total


def train(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total, last, history, window = 0.0, None, [], deque(maxlen=5)
    shown = torch.zeros(())
    for step in range(steps):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = loss
        window.append(loss)
        history.append(float(loss))
        shown = 0.9 * shown + 0.1 * loss  # expect: TL409
        if step % 10 == 0:
            total += loss
        per_step = []
        per_step.append(loss)
    return total, last, history, window, shown


def train_twice(steps):
    model = nn.Linear(4, 1)
    for epoch in range(3):
        epoch_loss = 0
        for _ in range(steps):
            loss = model(torch.randn(8, 4)).pow(2).mean()
            loss.backward()
            epoch_loss += loss.item()
        penalty = 0
        for parameter in model.parameters():
            penalty = penalty + parameter.pow(2).sum()
        penalty.backward()
    return epoch_loss


def unrolled(model, steps):
    state, losses = torch.zeros(8, 4), []
    for _ in range(steps):
        state = model(state)
        losses.append(state.pow(2).mean())
    torch.stack(losses).sum().backward()


def quiet(steps):
    model, total = nn.Linear(4, 1), 0.0
    for _ in range(steps):
        loss = model(torch.randn(8, 4)).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            total += loss
    return total


train(nn.Linear(4, 1), 20)
train_twice(20)
unrolled(nn.Linear(4, 4), 3)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_alpha = nn.Parameter(torch.zeros(()))
        self.bonus = nn.Parameter(torch.zeros(()))
        self.shown = nn.Parameter(torch.zeros(()))
        self.window = nn.Parameter(torch.tensor(3.0))
        self.ratio = nn.Parameter(torch.tensor(3.0), requires_grad=False)
        self.quiet = nn.Parameter(torch.tensor(3.0))
        self.halved = nn.Parameter(torch.tensor(3.0))
        self.body = nn.Linear(4, 1)

    def actor_loss(self, x):
        alpha = self.log_alpha.exp().item()  # trained by the other loss
        return (self.body(x) * alpha).mean()

    def alpha_loss(self, x):
        return -(self.log_alpha * x.detach()).mean()

    def forward(self, x):
        print(self.shown.item())
        kept = int(self.window.item())
        with torch.no_grad():
            quiet = self.quiet.item()
        half = 0.5 * self.halved.item()  # expect: TL410
        out = self.body(x)[:kept] * self.ratio.item() * quiet
        return out + half


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        out = self.layer(x)
        size = float(out.norm())
        if self.scale.item() > 2:
            return out / size
        return out / size * self.scale


class Tempered(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.heat = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.layer(x) / self.heat.item()  # expect: TL410


def looked_at(x):
    net = Tempered()
    net(x).sum().backward()
    return net.heat.grad


class Keeps:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters())
        self.history = {"loss": [], "norm": []}
        self.last = {"loss": []}

    def fit(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            loss = criterion(self.net(x), y)
            loss.backward()
            self.opt.step()
            self.history["loss"].append(loss)  # expect: TL409
            self.history["norm"].append(loss.detach())
            self.last["loss"] = [loss]


def kept_by_name(loader):
    net = nn.Linear(4, 3)
    Keeps(net).fit(loader)
    opt = torch.optim.Adam(net.parameters())
    seen = {"loss": [], "sum": []}
    total = 0
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        opt.step()
        seen["loss"].append(loss)  # expect: TL409
        seen["sum"].append(loss.item())
    for x, y in loader:
        loss = criterion(net(x), y)
        seen["sum"].append(loss)
        total = total + loss
    total.backward()
    return seen
