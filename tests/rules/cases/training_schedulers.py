"""What learning rate schedulers are given: the flagged lines are refused or warned of, all others are not."""

import warnings

import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def build(model, name):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if name == "plateau":
        return optimizer, ReduceLROnPlateau(optimizer)
    return optimizer, StepLR(optimizer, 2)


def of_two_kinds(model, name, loss):
    optimizer, scheduler = build(model, name)
    optimizer.step()
    if name == "plateau":
        scheduler.step(loss)
    else:
        scheduler.step()


def by_class(model, loss):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for scheduler in (ReduceLROnPlateau(optimizer), StepLR(optimizer, 2)):
        optimizer.step()
        if isinstance(scheduler, ReduceLROnPlateau):
            scheduler.step(loss)
        else:
            scheduler.step()
        if not isinstance(scheduler, (lr_scheduler.StepLR, lr_scheduler.MultiStepLR)):
            scheduler.step(metrics=loss)


def in_turn(model, loss):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedulers = [ReduceLROnPlateau(optimizer), ReduceLROnPlateau(optimizer, "max")]
    for scheduler in schedulers:
        optimizer.step()
        scheduler.step()  # expect: TL508


def tried(model, loss):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer)
    optimizer.step()
    try:
        scheduler.step()
    except TypeError:
        scheduler.step(loss)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scheduler.step(loss, 3)
    scheduler.step(loss, 3)  # expect: TL508 (info)


def forwarded(model, *values, **more):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer)
    optimizer.step()
    scheduler.step(*values)
    scheduler.step(**more)


def unseen(scheduler, loss):
    scheduler.step()
    scheduler.step(loss)
    print(scheduler.get_lr())


class ReduceLR:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self, epoch=None):
        return epoch

    def get_lr(self):
        return [0.1]


def of_another_class(model):
    scheduler = ReduceLR(torch.optim.SGD(model.parameters(), lr=0.1))
    scheduler.step()
    scheduler.step(3)
    return scheduler.get_lr()


class Plateau(ReduceLROnPlateau):
    def step(self, metrics=0.0, epoch=None):
        super().step(metrics)


def of_a_class_below(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = Plateau(optimizer)
    optimizer.step()
    scheduler.step()


def exchanged(model, loss, late):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 2)
    optimizer.step()
    if late:
        scheduler = ReduceLROnPlateau(optimizer)
    scheduler.step()
    scheduler = ReduceLROnPlateau(optimizer)
    scheduler.step(loss)


def resumed(model, path, epoch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.load_state_dict(torch.load(path))
    StepLR(optimizer, 2, last_epoch=4)
    second = torch.optim.SGD(model.parameters(), lr=0.1)
    StepLR(second, 2)
    StepLR(second, 2, last_epoch=4)
    third = torch.optim.SGD(model.parameters(), lr=0.1)
    StepLR(third, 2, last_epoch=epoch - 1)
    fourth = torch.optim.SGD(model.parameters(), lr=0.1)
    if epoch:
        fourth.param_groups[0]["initial_lr"] = 0.1
    StepLR(fourth, 2, last_epoch=4)
    fifth = torch.optim.SGD([{"params": model.parameters()}], lr=0.1)
    StepLR(fifth, 2, 0.1, 4)  # expect: TL508


def handed_on(model, prepare):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prepare(optimizer)
    StepLR(optimizer, 2, last_epoch=4)


def asked(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.9)
    ask = scheduler.get_lr
    print(scheduler.get_last_lr(), scheduler.get_lr())  # expect: TL508
    return ask()  # expect: TL508


asked(nn.Linear(2, 2))


def rates(optimizer):
    current = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1))
    chained = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    return current.get_lr(), chained.get_lr()  # expect: TL508


def asked_before_the_first_step(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 10)
    first = scheduler.get_lr()
    later = []
    for _ in range(20):
        optimizer.step()
        scheduler.step()
        later += scheduler.get_lr()  # expect: TL508
    return first, later


def asked_once_a_round(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 10)
    rates = []
    for _ in range(20):
        rates += scheduler.get_lr()  # expect: TL508
        optimizer.step()
        scheduler.step()
    return rates


def asked_at_milestones(net, epochs, milestones):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = lr_scheduler.MultiStepLR(optimizer, milestones)
    for epoch in range(epochs):
        optimizer.step()
        scheduler.step()
        if epoch in milestones:
            print(scheduler.get_lr()[0])  # expect: TL508 (info)
        print(scheduler.get_lr()[0])  # expect: TL508


def before_each_epoch(model, batches):
    """The rate is that of the epoch; after the epoch it would be late by one."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    other = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for epoch in range(3):
        scheduler.step(epoch)  # expect: TL508 (info)
        score = 0
        for batch in batches:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
            score = score + batch
        other.step(score)  # expect: TL508
        scheduler.step(epoch)  # expect: TL508 (info)
