"""Training functions whose model, loss and optimizer are arguments that nobody here passes."""

import torch
from torch import nn

from elsewhere import Base, compute_loss, keep, report


def train(model, loader, criterion, optimizer, scheduler, device):
    model.train()
    running = 0.0
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        loss = criterion(model(inputs), labels)
        loss.backward()  # expect: TL501
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        running += loss.item()
    return running


class Trainer:
    def __init__(self, model, optimizer, loss_fn):
        self.model = model
        self.optimizer = optimizer
        self.loss_fn = loss_fn

    def update(self, loss):
        loss.backward()  # expect: TL501
        self.optimizer.step()

    def epoch(self, loader):
        for features, labels in loader:
            self.update(self.loss_fn(self.model(features), labels))


def scaled(model, loader, loss_fn, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    for features, labels in loader:
        with torch.autocast("cuda"):
            loss = loss_fn(model(features), labels)
        scaler.scale(loss).backward()  # expect: TL501
        scaler.step(optimizer)
        scaler.update()


def accumulated(model, loader, loss_fn, optimizer):
    for i, (features, labels) in enumerate(loader):
        (loss_fn(model(features), labels) / 4).backward()  # expect: TL501
        if (i + 1) % 4 == 0:
            optimizer.step()


def called_below(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        loss_fn(model(features), labels).backward()
        optimizer.step()


class Clearing:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad()


def calls_it(loader):
    net = nn.Linear(3, 1)
    called_below(net, loader, nn.MSELoss(), Clearing(torch.optim.SGD(net.parameters(), lr=0.1)))


# ok: something clears, or may


def cleared_by_the_model(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        loss = loss_fn(model(features), labels)
        loss.backward()
        optimizer.step()
        model.zero_grad()


def cleared_under_a_test(model, loader, loss_fn, optimizer, often):
    for i, (features, labels) in enumerate(loader):
        loss_fn(model(features), labels).backward()
        if i % often == 0:
            optimizer.step()
            optimizer.zero_grad()


def cleared_by_hand(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        loss_fn(model(features), labels).backward()
        optimizer.step()
        for p in model.parameters():
            p.grad = None


def an_engine(engine, loader, loss_fn):
    for features, labels in loader:
        loss = loss_fn(engine(features), labels)
        engine.backward(loss)
        engine.step()


def a_trainer_with_both(trainer, loader, loss_fn):
    for features, labels in loader:
        loss = loss_fn(trainer.model(features), labels)
        trainer.prepare()
        loss.backward()
        trainer.optimizer.step()


def handed_on(model, loader, optimizer):
    for batch in loader:
        loss = compute_loss(model, optimizer, batch)
        loss.backward()
        optimizer.step()


def kept_before(model, loader, loss_fn, optimizer):
    keep(optimizer)
    for features, labels in loader:
        loss_fn(model(features), labels).backward()
        optimizer.step()
        report()


def a_method_of_its_own(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        loss_fn(model(features), labels).backward()
        optimizer.step()
        optimizer.start_again()


def with_a_closure(model, loader, loss_fn, optimizer):
    for features, labels in loader:

        def closure():
            loss = loss_fn(model(features), labels)
            loss.backward()
            return loss

        optimizer.step(closure)


def once(model, features, labels, loss_fn, optimizer):
    loss_fn(model(features), labels).backward()
    optimizer.step()


def after_the_loop(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        loss_fn(model(features), labels).backward()
    optimizer.step()


def given_out(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        loss = loss_fn(model(features), labels)
        loss.backward()
        optimizer.step()
        yield loss.item()


class OfAFramework(Base):
    def __init__(self, model, optimizer):
        super().__init__()
        self.model = model
        self.optimizer = optimizer

    def epoch(self, loader):
        for batch in loader:
            self.before_batch()
            self.model(batch).backward()
            self.optimizer.step()


class Stepper:
    def __init__(self, inner):
        self.inner = inner

    def step(self):
        self.inner.step()
        self.inner.zero_grad()


def with_a_stepper(model, loader, loss_fn, optimizer):
    stepper = Stepper(optimizer)
    for features, labels in loader:
        loss_fn(model(features), labels).backward()
        stepper.step()


# losses whose graphs are kept


def summed(model, loader, loss_fn, optimizer):
    total = 0.0
    for features, labels in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(features), labels)
        loss.backward()
        optimizer.step()
        total += loss  # expect: TL409
    return total / len(loader)


def collected(model, loader, loss_fn, optimizer):
    losses = []
    for features, labels in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(features), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss)  # expect: TL409
    return losses


def only_numbers(model, loader, loss_fn, optimizer):
    total, losses = 0.0, []
    for features, labels in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(features), labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
        losses.append(loss.detach())
    return total, losses


def twice(model, loader, loss_fn, optimizer):
    for features, labels in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(features), labels)
        loss.backward()
        if loss.is_special():
            loss.backward()
        optimizer.step()


def told_wrong(start: int = 0.5):
    return torch.tensor(start, requires_grad=True)


class OfOthers(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.parts = nn.ModuleList()
        self.parts.append(Base(3))
        for _ in range(count):
            self.parts.append(Base(3))
        self.head = nn.Sequential(Base(3), nn.ReLU())


def of_others():
    module = OfOthers(2)
    yield torch.optim.Adam(module.parameters(), lr=0.1)
    yield torch.optim.Adam(module.head.parameters(), lr=0.1)


def of_an_older_torch(x):
    y = torch.tanh(torch.ones(2, requires_grad=True))
    y.backward(torch.ones(2), retain_variables=True)  # expect: TL903
    y.backward(torch.ones(2))


def counted(lr):
    params = nn.Linear(3, 1).parameters()
    print(sum(p.numel() for p in params))
    return torch.optim.Adam(params, lr=lr)  # expect: TL513


def counted_from_the_module(lr):
    net = nn.Linear(3, 1)
    print(sum(p.numel() for p in net.parameters()))
    return torch.optim.Adam(net.parameters(), lr=lr)


def all_frozen():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    for p in net.parameters():
        p.requires_grad = False
    net(torch.randn(2, 3)).sum().backward()  # expect: TL405


def some_frozen(few):
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    for name, p in net.named_parameters():
        if few:
            p.requires_grad = False
    net(torch.randn(2, 3)).sum().backward()


def one_part_frozen():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    for name, p in net[0].named_parameters():
        p.requires_grad_(False)
    net(torch.randn(2, 3)).sum().backward()


def thawed_again():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    for p in net.parameters():
        p.requires_grad = False
    for p in net[1].parameters():
        p.requires_grad = True
    net(torch.randn(2, 3)).sum().backward()


def agreement(logits: torch.Tensor):
    scores = torch.randn(4, 3)
    guessed = torch.max(scores, 1)
    right = guessed == torch.zeros(4)  # expect: TL916
    return right, guessed == guessed, guessed == (1, 2)


def what_is_called_a_scheduler_is_no_optimizer(model, loader, criterion, lr_scheduler):
    for inputs, labels in loader:
        criterion(model(inputs), labels).backward()
        lr_scheduler.step()
