"""Weights that a step by hand replaces by tensors without requires_grad: TL405 in the next iteration, and near misses."""

import torch

x = torch.ones(3)


def replaced():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        loss.backward()  # expect: TL405
        with torch.no_grad():
            w = w - 0.1 * w.grad


def replaced_pair():
    w = torch.zeros(3, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for _ in range(5):
        loss = ((w * x + b) ** 2).mean()
        loss.backward()  # expect: TL405
        with torch.no_grad():
            w, b = w - 0.1 * w.grad, b - 0.1 * b.grad


def asked_again():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad
        w.requires_grad_()  # ok: a leaf again


def asked_by_attribute():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        loss.backward()
        w = (w - 0.1 * w.grad).detach()
        w.requires_grad = True  # ok: a leaf again


def asked_at_the_top():
    w = torch.zeros(3)
    for _ in range(5):
        w.requires_grad_(True)
        loss = ((w * x) ** 2).mean()
        loss.backward()  # ok: it requires grad in each iteration
        w = (w - 0.1 * w.grad).detach()


def one_of_two():
    w = torch.zeros(3, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for _ in range(5):
        loss = ((w * x + b) ** 2).mean()
        loss.backward()  # ok: the bias is left, and the loss has a graph
        with torch.no_grad():
            w = w - 0.1 * x
            b -= 0.1 * b.grad
            b.grad.zero_()


def in_place():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()


def once():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(1):
        loss = ((w * x) ** 2).mean()
        loss.backward()  # ok: there is no other iteration
        with torch.no_grad():
            w = w - 0.1 * w.grad


def until(limit):
    w = torch.zeros(3, requires_grad=True)
    while True:
        loss = ((w * x) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad
        if limit:
            w = w.clone().requires_grad_()
        else:
            break


def stops():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        loss.backward()  # ok: there is no other iteration
        with torch.no_grad():
            w = w - 0.1 * w.grad
        break


def guarded():
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        if loss.requires_grad:
            loss.backward()  # ok: it asks
        with torch.no_grad():
            w = w - 0.1 * w.grad


def sometimes(epochs):
    w = torch.zeros(3, requires_grad=True)
    for epoch in range(epochs):
        loss = ((w * x) ** 2).mean()
        if epoch == 0:
            loss.backward()  # ok: in the first iteration only
            with torch.no_grad():
                w = w - 0.1 * w.grad


def by_function(step):
    w = torch.zeros(3, requires_grad=True)
    for _ in range(5):
        loss = ((w * x) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w = step(w)  # ok: it may require grad


for_all = [torch.zeros(3, requires_grad=True) for _ in range(2)]
for weight in for_all:
    loss = ((weight * x) ** 2).mean()
    loss.backward()  # ok: each iteration has another weight
    with torch.no_grad():
        weight = weight - 0.1 * weight.grad
