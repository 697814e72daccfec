"""Loops that clear gradients without a step: the flagged ones learn nothing, the others are meant so, or step elsewhere."""

import torch
from torch import nn

from elsewhere import Base, advance, compute, report


def train(model, loader, criterion, optimizer, device):
    model.train()
    total = 0.0
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()  # expect: TL503
        total += loss.item()
    return total


def cleared_after(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for inputs, targets in loader:
        loss = criterion(model(inputs), targets)
        loss.backward()  # expect: TL503
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.zero_grad()


class Trainer:
    def __init__(self, model, optimizer, scheduler):
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler

    def run(self, loader, epochs):
        for _ in range(epochs):
            for features, labels in loader:
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(features), labels)
                loss.backward()  # expect: TL503


def forgot_backward(loader):
    model = nn.Linear(4, 3)
    optimizer = torch.optim.Adam(model.parameters())
    for features, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(features), labels)
        optimizer.step()  # expect: TL503
        print(loss.item())


# ok: something else may step, or nothing is to be trained


def a_scheduler_may_be_one(model, loader, criterion, optimizer, scheduler):
    for inputs, targets in loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        scheduler.step()


def handed_on(model, loader, criterion, optimizer):
    for inputs, targets in loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        advance(optimizer)


def made_and_handed_on(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for inputs, targets in loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        advance(optimizer)


def by_a_method_of_its_own(model, loader, criterion, optimizer):
    for inputs, targets in loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.first_step()
        optimizer.second_step()


def cleared_by_the_model(model, loader, criterion):
    for inputs, targets in loader:
        model.zero_grad()
        criterion(model(inputs), targets).backward()


def a_part_of_the_trainer(trainer, loader, criterion):
    for inputs, targets in loader:
        trainer.optimizer.zero_grad()
        criterion(trainer.model(inputs), targets).backward()
        trainer.advance()


class Inherited(Base):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def run(self, loader):
        for features in loader:
            self.optimizer.zero_grad()
            self.model(features).sum().backward()
            self.advance()


class Stepping:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def advance(self):
        self.optimizer.step()

    def run(self, loader, hook):
        for features in loader:
            self.optimizer.zero_grad()
            self.model(features).sum().backward()
            hook()


def in_the_callers_hands(model, optimizer, features):
    for part in features:
        optimizer.zero_grad()
        model(part).sum().backward()


def steps_itself(features):
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    in_the_callers_hands(model, optimizer, features)
    optimizer.step()


def one_batch(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for features in loader:
        optimizer.zero_grad()
        model(features).sum().backward()
        break


def cleared_once(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    optimizer.zero_grad()
    for features in loader:
        model(features).sum().backward()


def backward_elsewhere(loader):
    model = nn.Linear(4, 3)
    optimizer = torch.optim.Adam(model.parameters())
    for features, labels in loader:
        optimizer.zero_grad()
        compute(nn.functional.cross_entropy(model(features), labels))
        optimizer.step()


def rates(model):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    for _ in range(10):
        optimizer.step()
        scheduler.step()
        report(scheduler.get_last_lr())


def learning_rates(steps):
    optimizer = torch.optim.SGD(nn.Linear(4, 3).parameters(), 0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    rates = []
    for _ in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.zero_grad()
        optimizer.step()
        scheduler.step()
    return rates


def timed(module, loss_of, batches, tensors):
    for x in batches:
        module.zero_grad()
        loss_of(tensors(x)).backward()
