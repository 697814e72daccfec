"""Schedules whose length is a number of epochs, stepped with every batch, and near misses."""

import math

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR, PolynomialLR, StepLR

net = nn.Linear(4, 3)
loader = [(torch.randn(2, 4), torch.tensor([0, 2]))] * 5
loss_of = nn.CrossEntropyLoss()


def learn(optimizer, features, labels):
    optimizer.zero_grad()
    loss_of(net(features), labels).backward()
    optimizer.step()


def by_name(epochs, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for features, labels in loader:
            learn(optimizer, features, labels)
            scheduler.step()  # expect: TL519


def by_number(loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = PolynomialLR(optimizer, 10)
    for epoch in range(0, 10):
        for step, (features, labels) in enumerate(loader):
            learn(optimizer, features, labels)
            scheduler.step()  # expect: TL519
        print(epoch, step)


class Trainer:
    def __init__(self, config, loader):
        self.config, self.loader = config, loader
        self.optimizer = torch.optim.SGD(net.parameters(), 0.1)
        self.scheduler = CosineAnnealingLR(self.optimizer, self.config.epochs)

    def fit(self):
        for _ in range(self.config.epochs):
            for features, labels in self.loader:
                learn(self.optimizer, features, labels)
                self.scheduler.step()  # expect: TL519


# ok: once an epoch, or with a length in batches


def once_an_epoch(epochs, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for features, labels in loader:
            learn(optimizer, features, labels)
        scheduler.step()


def in_batches(epochs, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    other = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for _ in range(epochs):
        for features, labels in loader:
            learn(optimizer, features, labels)
            scheduler.step()
            other.step()


def in_the_last_batch(epochs, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for number, (features, labels) in enumerate(loader):
            learn(optimizer, features, labels)
            if number == len(loader) - 1:
                scheduler.step()


def in_one_phase(epochs, loaders):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for phase in ["train", "val"]:
            for features, labels in loaders[phase]:
                learn(optimizer, features, labels)
            if phase == "train":
                scheduler.step()


def in_each_fold(epochs, folds):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for fold in folds:
            learn(optimizer, *fold)
            scheduler.step()


def of_periods(epochs, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = StepLR(optimizer, epochs)
    for _ in range(epochs):
        for features, labels in loader:
            learn(optimizer, features, labels)
            scheduler.step()


def by_another_name(epochs, length, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=length)
    for _ in range(epochs):
        for features, labels in loader:
            learn(optimizer, features, labels)
            scheduler.step()


def by_a_function(model, loader, opt, epochs):
    schedule = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda=lambda n: (1 - n / epochs) ** 0.9)
    rounded = torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 0.5 * (1 + math.cos(math.pi * n / epochs)))
    endless = torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 0.95 ** (n / epochs))
    longer = torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 1 - n / (epochs * len(loader)))
    each_epoch = torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 1 - n / epochs)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
            schedule.step()  # expect: TL519
            rounded.step()  # expect: TL519
            endless.step()
            longer.step()
        each_epoch.step()
