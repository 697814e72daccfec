"""Losses without a graph that are made to require grad, and leaves that are meant."""

import torch
import torch.nn.functional as F
from torch import nn


def of_a_score(model, loader, opt, score):
    for x, y in loader:
        loss = torch.tensor(score(model(x), y), requires_grad=True)
        opt.zero_grad()
        loss.backward()  # expect: TL427
        opt.step()


def without_gradients(loader):
    model = nn.Linear(3, 1)
    opt = torch.optim.Adam(model.parameters())
    for x, _ in loader:
        with torch.no_grad():
            out = model(x)
        loss = F.mse_loss(out, torch.zeros(4, 1))
        loss.requires_grad_(True)
        opt.zero_grad()
        loss.backward()  # expect: TL427
        opt.step()


def with_gradients_switched_off(loader):
    model = nn.Linear(3, 1)
    opt = torch.optim.Adam(model.parameters())
    torch.set_grad_enabled(False)
    for x, _ in loader:
        loss = F.mse_loss(model(x), torch.zeros(4, 1))
        loss.requires_grad = True
        opt.zero_grad()
        loss.backward()  # expect: TL427
        opt.step()
    torch.set_grad_enabled(True)


def of_a_loss(loader):
    model = nn.Linear(3, 1)
    opt = torch.optim.Adam(model.parameters())
    for x, _ in loader:
        loss = torch.tensor(F.mse_loss(model(x), torch.zeros(4, 1)), requires_grad=True)  # expect: TL912 (warning)
        opt.zero_grad()
        loss.backward()  # expect: TL427
        opt.step()


def detached(model, loader, opt, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss = loss.detach().requires_grad_()
        opt.zero_grad()
        loss.backward()  # expect: TL427
        opt.step()


def detached_on_one_path(model, loader, opt, criterion, frozen):
    for x, y in loader:
        loss = criterion(model(x), y)
        if frozen:
            loss = loss.detach().requires_grad_()
        opt.zero_grad()
        loss.backward()
        opt.step()


def perhaps_with_a_graph(model, loader, opt, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.requires_grad = True
        opt.zero_grad()
        loss.backward()
        opt.step()


def constants():
    torch.tensor(1.0, requires_grad=True).backward()
    torch.zeros(()).requires_grad_().backward()
    weight = nn.Parameter(torch.tensor(2.0))
    weight.backward()


def with_a_gradient(x: torch.Tensor):
    codes = nn.Linear(3, 3)(x).detach().requires_grad_()
    codes.backward(torch.ones(4, 3))
    return codes.grad


def of_an_input(model, x, y):
    point = torch.tensor(x, requires_grad=True)
    F.cross_entropy(model(point), y).backward()
    return point.grad
