"""Graphs that every iteration keeps: for nobody, for a second backward, for the next iteration."""

import torch
import torch.nn.functional as F
from torch import nn


def unseen(model, loader, optimizer, criterion):
    for x, y in loader:
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  # expect: TL420
        optimizer.step()


def scaled(model, loader, scaler):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward(retain_graph=True)  # expect: TL420


def against_each_other(generator, critic, loader, criterion):
    for real in loader:
        fake = generator(real)
        critic_loss = criterion(critic(fake), real)
        critic_loss.backward(retain_graph=True)
        loss = criterion(critic(fake), real)
        loss.backward()


def graph_from_before(model, x):
    out = model(x)
    for i in range(3):
        loss = out[i]
        loss.backward(retain_graph=True)


def seen_graph_from_before(x):
    out = nn.Linear(4, 3)(x)
    for i in range(3):
        out[i].sum().backward(retain_graph=True)


def given_graph(h, n):
    net = nn.Linear(4, 3)
    for _ in range(n):
        loss = net(h).sum()
        loss.backward(retain_graph=True)


def style(target, content, model, optimizer):
    x = content.clone().requires_grad_(True)
    for _ in range(300):
        loss = F.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()


def handed_on(model, loader, tracker):
    net = nn.Linear(4, 3)
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        loss.backward(retain_graph=True)
        tracker.trace(loss)


def once_more_behind_the_loop(model, loader):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward(retain_graph=True)
    loss.backward()


def for_second_derivatives(model, loader):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward(retain_graph=True, create_graph=True)


def carried_through_an_unseen_model(model, loader, criterion):
    state = None
    for x, y in loader:
        out, state = model(x, state)
        loss = criterion(out, y)
        loss.backward(retain_graph=True)  # expect: TL420


def summed_up(loader):
    net, total = nn.Linear(4, 3), 0
    for x, y in loader:
        total = total + F.cross_entropy(net(x), y)
        total.backward(retain_graph=True)  # expect: TL420


def in_no_loop(model, x):
    model(x).sum().backward(retain_graph=True)


def one_step(net, x):
    loss = net(x).pow(2).mean()
    loss.backward(retain_graph=True)  # expect: TL420


def steps():
    net = nn.Linear(4, 3)
    for _ in range(20):
        one_step(net, torch.randn(8, 4))


class Recurrent:
    def __init__(self):
        self.cell = nn.RNNCell(4, 8)
        self.state = torch.zeros(1, 8)

    def run(self, steps):
        for _ in range(steps):
            self.state = self.cell(torch.randn(1, 4), self.state)
            loss = self.state.pow(2).mean()
            loss.backward(retain_graph=True)


def of_unknown(compute):
    loss = sum(compute(torch.ones(3, requires_grad=True)))
    loss.retain_grad()
    loss.backward()
    return loss.grad.item()  # ok: its gradient is kept


def of_unknown_without(compute):
    loss = sum(compute(torch.ones(3, requires_grad=True)))
    loss.backward()
    return loss.grad.item()  # expect: TL406
