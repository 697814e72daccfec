"""Gradient scalers and schedulers in loops as people write them: the flagged lines are wrong, all others are not."""

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau, StepLR


class GradScaler:
    """Not torch's."""

    def scale(self, loss):
        return loss

    def step(self, optimizer):
        optimizer.step()


def own_class(net, opt, batches):
    scaler = GradScaler()
    for x in batches:
        opt.zero_grad()
        scaler.scale(net(x).sum()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)


def by_use(model, loader, optimizer, scaler, clip):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)  # expect: TL510
        scaler.step(optimizer)
        scaler.update()


def only_measured(model, loader, optimizer, scaler):
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(nn.functional.cross_entropy(model(x), y)).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
        scaler.step(optimizer)
        scaler.update()
        yield norm


def unscaled_elsewhere(model, loader, optimizer, scaler, engine):
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(nn.functional.cross_entropy(model(x), y)).backward()
        engine.before_clip(model)
        engine.unscale(scaler)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def no_scaler_at_all(canvas, model, optimizer):
    image = canvas.scale(2)
    image.draw()
    model(image).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    canvas.step(3)


class Trainer:
    def __init__(self, model, lr, amp):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr)
        self.scaler = torch.cuda.amp.GradScaler(enabled=amp)  # expect: TL909
        self.sched = LambdaLR(self.opt, lambda e: 1 / (e + 1))

    def fit(self, loader):
        for x in loader:
            self.opt.zero_grad()
            self.scaler.scale(self.model(x)).backward()
            self.opt.step()  # expect: TL511
            self.scaler.update()

    def without_update(self, loader):
        for x in loader:
            self.opt.zero_grad()
            self.scaler.scale(self.model(x)).backward()
            self.scaler.step(self.opt)  # expect: TL511

    def update_now_and_then(self, loader):
        for i, x in enumerate(loader):
            self.opt.zero_grad()
            self.scaler.scale(self.model(x)).backward()
            if i % 2:
                self.scaler.step(self.opt)
                self.scaler.update()

    def twice(self, x):
        self.scaler.scale(self.model(x)).backward()
        self.scaler.unscale_(self.opt)
        self.scaler.unscale_(self.opt)  # expect: TL511
        self.scaler.step(self.opt)
        self.scaler.update()

    def refused(self, x):
        self.scaler.scale(self.model(x)).backward()
        self.scaler.unscale_(self.opt)
        with pytest.raises(RuntimeError):
            self.scaler.unscale_(self.opt)

    def late(self, i, x):
        if i > 0:
            self.sched.step()  # not in the first call
        self.opt.zero_grad()
        self.model(x).backward()
        self.opt.step()

    def early(self, x):
        self.opt.zero_grad()
        self.model(x).backward()
        self.sched.step()  # expect: TL507
        self.opt.step()


def resumed(net, start):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    s = StepLR(opt, 1)
    for _ in range(start):
        s.step()  # brought forward to where an earlier run has left it
    for _ in range(start, 10):
        opt.zero_grad()
        net(torch.ones(2, 4)).sum().backward()
        opt.step()
        s.step()


def loaded(net, state):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    s = StepLR(opt, 1)
    s.load_state_dict(state)
    for _ in range(10):
        s.step()
        opt.zero_grad()
        net(torch.ones(2, 4)).sum().backward()
        opt.step()


def by_number(net):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    s = StepLR(opt, 1)
    for epoch in range(10):
        s.step(epoch)  # expect: TL508 (info)
        opt.zero_grad()
        net(torch.ones(2, 4)).sum().backward()
        opt.step()


def shown_only():
    opt = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    s = StepLR(opt, 1)
    rates = []
    for _ in range(10):
        rates.append(s.get_last_lr())
        s.step()
    return rates


def plateau(opt, losses):
    s = ReduceLROnPlateau(opt)
    for loss in losses:
        s.step(loss)
        opt.step()


def unseen_optimizer(model, opt, loader):
    s = StepLR(opt, 10)
    for x in loader:
        opt.zero_grad()
        model(x).sum().backward()
        s.step()  # expect: TL507
        opt.step()


def other_optimizer(net, loader):
    slow, fast = torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.Adam(net.parameters())
    s = StepLR(slow, 10)
    for x in loader:
        slow.zero_grad()
        fast.zero_grad()
        net(x).sum().backward()
        slow.step()
        s.step()
        fast.step()
