"""Models that are evaluated in some iterations and trained on in evaluation mode: TL505, and near misses."""

import torch
from torch import nn


def made():
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 2))
    return net, torch.optim.SGD(net.parameters(), lr=0.1)


def validate(net, batches):
    net.eval()
    with torch.no_grad():
        return [net(x).mean().item() for x in batches]


def at_the_end(batches, epochs: int):
    net, optimizer = made()
    net.train()
    for epoch in range(epochs):
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # expect: TL505
        optimizer.step()
        if epoch % 5 == 0:
            net.eval()
            with torch.no_grad():
                net(torch.randn(3, 4))


def at_the_beginning(batches, every: int):
    net, optimizer = made()
    net.train()
    for step, x in enumerate(batches):
        if step % every == 0:
            print(validate(net, batches))
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # expect: TL505
        optimizer.step()


def not_modulo(batches, every: int):
    net, optimizer = made()
    net.train()
    for step, x in enumerate(batches):
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # expect: TL505
        optimizer.step()
        if not step % every:
            validate(net, batches)


def restored(batches, every: int):
    net, optimizer = made()
    net.train()
    for step, x in enumerate(batches):
        if step % every == 0:
            validate(net, batches)
            net.train()
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # ok: train() is called again
        optimizer.step()


def restored_at_the_top(batches, epochs: int):
    net, optimizer = made()
    for epoch in range(epochs):
        net.train()
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # ok: train() is called in each iteration
        optimizer.step()
        if epoch % 5 == 0:
            validate(net, batches)


def in_the_last(batches, epochs: int):
    net, optimizer = made()
    net.train()
    for epoch in range(epochs):
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # ok: perhaps in the last iteration only
        optimizer.step()
        if (epoch + 1) % epochs == 0:
            validate(net, batches)


def from_one(batches, epochs: int):
    net, optimizer = made()
    net.train()
    for epoch in range(1, epochs):
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # ok: the first may be the last
        optimizer.step()
        if epoch % epochs == 0:
            validate(net, batches)


def counted_on(batches, epochs: int):
    net, optimizer = made()
    net.train()
    for epoch in range(epochs):
        epoch += 1
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # ok: it is not the number of the iteration
        optimizer.step()
        if epoch % epochs == 0:
            validate(net, batches)


def attacked(batches, every: int):
    net, optimizer = made()
    net.train()
    for step, x in enumerate(batches):
        if step % every == 0:
            net.eval()
            net(torch.randn(3, 4)).mean().backward()  # ok: on purpose, train() follows
            net.train()
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()
        optimizer.step()


def never_in_training(batches, every: int):
    net, optimizer = made()
    net.eval()
    for step, x in enumerate(batches):
        if step % every == 0:
            validate(net, batches)
        optimizer.zero_grad()
        net(torch.randn(3, 4)).mean().backward()  # ok: it was in evaluation mode before the loop
        optimizer.step()
