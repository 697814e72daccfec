"""State dicts in training loops: kept, saved at once, copied, overwritten, or of another model."""

import copy

import torch
from torch import nn

from somewhere import make_model, score


def update(model, optimizer, x, y):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()


def best_of(model, optimizer, batches, epochs):
    best, best_state = 0.0, copy.deepcopy(model.state_dict())
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > best:
            best_state = model.state_dict()  # expect: TL611
    model.load_state_dict(best_state)
    return model


def in_a_checkpoint(model, optimizer, batches, epochs, path):
    best, checkpoint = 0.0, None
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > best:
            checkpoint = {"epoch": epoch, "model": model.state_dict()}  # expect: TL611
    torch.save(checkpoint, path)


def shallow(model, optimizer, batches, epochs):
    kept = None
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > 0.5:
            kept = model.state_dict().copy()  # expect: TL611
    return kept


def stops(model, optimizer, batches, epochs):
    kept = None
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > 0.9:
            kept = model.state_dict()
            break
    return kept


def copied_after(model, optimizer, batches, epochs):
    kept = None
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > 0.9:
            kept = model.state_dict()
            kept = {name: value.cpu().clone() for name, value in kept.items()}
    return kept


def saved_in_turn(model, optimizer, batches, epochs, is_main, path):
    state = None
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if is_main:
            state = model.state_dict()
        print(epoch)
        if is_main:
            torch.save(state, path)


def two_checkpoints(model, optimizer, batches, epochs, path):
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if epoch % 10 == 0:
            state = {"model": model.state_dict()}
            torch.save(state, path)
    state = {"model": model.state_dict(), "done": True}
    torch.save(state, path)


def folds(batches):
    best, best_state = 0.0, None
    for fold in range(5):
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > best:
            best_state = model.state_dict()
    return best_state


def of_another(batches, epochs):
    student, teacher = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    kept = None
    for epoch in range(epochs):
        for x, y in batches:
            update(student, optimizer, x, y)
        if epoch == 1:
            kept = teacher.state_dict()
    return kept


def never_trained(model, batches):
    kept = None
    for x, y in batches:
        if score(model(x)) > 0.5:
            kept = model.state_dict()
    return kept


def of_the_optimizer(model, optimizer, batches, epochs):
    kept = None
    for epoch in range(epochs):
        for x, y in batches:
            update(model, optimizer, x, y)
        if score(model) > 0.5:
            kept = optimizer.state_dict()
    return kept


def reset():
    model = nn.Linear(4, 1)
    first = model.state_dict()  # expect: TL611
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        update(model, optimizer, torch.randn(2, 4), torch.randn(2, 1))
    model.load_state_dict(first)


def to_another():
    model, target = nn.Linear(4, 1), nn.Linear(4, 1)
    state = model.state_dict()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    update(model, optimizer, torch.randn(2, 4), torch.randn(2, 1))
    target.load_state_dict(state)  # the latest weights may be what is wanted
    names = model.state_dict()
    update(model, optimizer, torch.randn(2, 4), torch.randn(2, 1))
    print(len(names), list(names.keys()))


class Keeper:
    def __init__(self):
        self.state = None
        self.last = None

    def watch(self, model, value):
        if value > 0.5:
            self.state = copy.deepcopy(model.state_dict())
        if value > 0.9:
            self.last = model.state_dict()

    def save(self, path):
        torch.save(self.last, path)


def watched(keeper: Keeper, batches, path):
    keeper = Keeper()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches:
        update(model, optimizer, x, y)
        keeper.watch(model, score(model))
        keeper.save(path)
    model.load_state_dict(keeper.state)


def moving_average(model, average, optimizer, batches):
    for x, y in batches:
        update(model, optimizer, x, y)
        state = model.state_dict()
        for name, value in average.state_dict().items():
            value.mul_(0.9).add_(state[name], alpha=0.1)
