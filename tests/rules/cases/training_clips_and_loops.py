"""Where gradients are clipped and optimizers made, and code that only looks like it."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

batches = [(torch.randn(2, 4), torch.tensor([0, 2]))] * 4


def early(model, loss_fn, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs, labels in loader:
        optimizer.zero_grad(set_to_none=True)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: TL515
        loss_fn(model(inputs), labels).backward()
        optimizer.step()


def late():
    model = nn.Linear(4, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs, labels in batches:
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)  # expect: TL515


def right():
    model = nn.Linear(4, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs, labels in batches:
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def gathered(model, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    for number, (inputs, labels) in enumerate(loader):
        F.cross_entropy(model(inputs), labels).backward()
        if number % 4 == 3:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()


def with_helper(model, loader, backward):
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs, labels in loader:
        optimizer.zero_grad()
        backward(model(inputs), labels)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def two_models():
    maker, judge = nn.Linear(4, 4), nn.Linear(4, 1)
    first = torch.optim.AdamW(maker.parameters())
    second = torch.optim.AdamW(judge.parameters())
    for inputs, _ in batches:
        judge(inputs).mean().backward()
        second.step()
        first.zero_grad()
        nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
        judge(maker(inputs)).mean().backward()
        first.step()
        second.zero_grad()


def each_of_two():
    maker, judge = nn.Linear(4, 4), nn.Linear(4, 1)
    first = torch.optim.AdamW(maker.parameters())
    second = torch.optim.AdamW([*judge.parameters()])
    for inputs, _ in batches:
        second.zero_grad()
        nn.utils.clip_grad_norm_(judge.parameters(), 1.0)  # expect: TL515
        judge(maker(inputs).detach()).mean().backward()
        second.step()
        first.zero_grad()
        judge(maker(inputs)).mean().backward()
        first.step()
        nn.utils.clip_grad_norm_(maker.parameters(), 1.0)  # expect: TL515


def each_of_two_in_its_place():
    maker, judge = nn.Linear(4, 4), nn.Linear(4, 1)
    first = torch.optim.AdamW(maker.parameters())
    second = torch.optim.AdamW(judge.parameters())
    for inputs, _ in batches:
        second.zero_grad()
        judge(maker(inputs).detach()).mean().backward()
        nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
        second.step()
        first.zero_grad()
        judge(maker(inputs)).mean().backward()
        nn.utils.clip_grad_norm_(maker.parameters(), 1.0)
        first.step()


class Weighted:
    def __init__(self):
        self.weights = torch.zeros(2, requires_grad=True)
        self.optimizer = torch.optim.Adam([self.weights])

    def backward(self, losses, shared):
        nn.utils.clip_grad_norm_(shared, 1.0)  # expect: TL515
        (losses.log() * self.weights.softmax(0)).sum().backward()


def with_weighted_tasks():
    trunk, heads = nn.Linear(4, 4), nn.ModuleList([nn.Linear(4, 1) for _ in range(2)])
    optimizer = torch.optim.SGD([*trunk.parameters(), *heads.parameters()])
    weighted = Weighted()
    for inputs, _ in batches:
        aims = torch.randn(2, 2, 1)
        losses = torch.stack([F.mse_loss(head(trunk(inputs)), aim) for head, aim in zip(heads, aims)])
        optimizer.zero_grad()
        weighted.optimizer.zero_grad()
        weighted.backward(losses, list(trunk.parameters()))
        optimizer.step()
        weighted.optimizer.step()


def of_an_unseen_optimizer(model, loader, optimizer, writer, bar):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: TL515
        writer.add_scalar("loss", loss.item())
        bar.update(1)


def used_by_a_hook(model, loader, optimizer, hook):
    for inputs, labels in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        hook(model)


def with_a_scheduler(model, loader, optimizer, scheduler):
    for inputs, labels in loader:
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        scheduler.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: TL515
        optimizer.zero_grad()


def before_an_unseen_loss(model, loader, optimizer, criterion):
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: TL515
        loss.backward()
        optimizer.step()


def clipped_after_a_scaler(model, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for inputs, labels in loader:
        optimizer.zero_grad()
        scaler.scale(F.cross_entropy(model(inputs), labels)).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def anew(model, loader):
    for inputs, labels in loader:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # expect: TL514
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


def anew_of_one():
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3))
    step = 0
    while step < 10:
        optimizer = torch.optim.RMSprop(model.parameters())  # expect: TL514
        optimizer.zero_grad()
        model(batches[0][0]).sum().backward()
        optimizer.step()
        step += 1


def of_copies():
    model = nn.Linear(4, 3)
    for inputs, labels in batches:
        fast = copy.deepcopy(model)
        optimizer = torch.optim.Adam(fast.parameters())
        optimizer.zero_grad()
        F.cross_entropy(fast(inputs), labels).backward()
        optimizer.step()


def of_folds(folds):
    model = nn.Linear(4, 3)
    start = copy.deepcopy(model.state_dict())
    for inputs, labels in folds:
        model.load_state_dict(start)
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


def of_inputs():
    model = nn.Linear(4, 3)
    for inputs, labels in batches:
        noise = torch.zeros_like(inputs, requires_grad=True)
        optimizer = torch.optim.Adam([noise])
        optimizer.zero_grad()
        F.cross_entropy(model(inputs + noise), labels).backward()
        optimizer.step()


def once_only():
    model = nn.Linear(4, 3)
    optimizer = None
    for inputs, labels in batches:
        if optimizer is None:
            optimizer = torch.optim.Adam(model.parameters())
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


def without_memory():
    model = nn.Linear(4, 3)
    for inputs, labels in batches:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()


def as_asked(model, inputs, second_order=False):
    loss = model(inputs).sum()
    with torch.enable_grad():
        loss.backward(create_graph=second_order)
    return loss


def clipped_at_the_end(batch: torch.Tensor):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    optimizer.zero_grad()
    loss = model(batch).sum()
    loss.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: TL515


def clipped_before_what_comes_next(model: nn.Linear, optimizer: torch.optim.SGD, batch: torch.Tensor):
    loss = model(batch).sum()
    loss.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
