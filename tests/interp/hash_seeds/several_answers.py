"""Programs of which several ways, objects or arguments say the same; only one of them can be named in a finding."""

import torch
from torch import nn, optim
from torch.cuda.amp import GradScaler


def two_ways_to_clear(model, batches, quick):
    optimizer = optim.SGD(model.parameters(), 0.1)
    for x in batches:
        loss = model(x).sum()
        loss.backward()
        if quick:
            optimizer.zero_grad()
        else:
            optimizer.zero_grad(set_to_none=False)
        optimizer.step()


def three_ways_to_clear(model, batches, way):
    optimizer = optim.SGD(model.parameters(), 0.1)
    for x in batches:
        if way == "double":
            (model(x) * 2).sum().backward()
        else:
            model(x).sum().backward()
        if way == 1:
            optimizer.zero_grad()
        elif way == 2:
            optimizer.zero_grad(True)
        else:
            optimizer.zero_grad(set_to_none=False)
        optimizer.step()


def two_optimizers(batches, quick):
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    one, other = optim.SGD(first.parameters(), 0.1), optim.Adam(second.parameters())
    for x in batches:
        second(first(x)).sum().backward()
        if quick:
            one.zero_grad()
            other.zero_grad()
        else:
            other.zero_grad()
            one.zero_grad()
        one.step()
        other.step()


def two_scalers(batches, quick):
    model = nn.Linear(2, 2)
    optimizer = optim.SGD(model.parameters(), 0.1)
    scaler, spare = GradScaler(), GradScaler()
    for x in batches:
        optimizer.zero_grad()
        if quick:
            scaler.scale(model(x).sum()).backward()
        else:
            scaler.scale(model(x).mean()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        spare.update()


def two_plain(batches, quick):
    model = nn.Linear(2, 2)
    optimizer = optim.SGD(model.parameters(), 0.1)
    scaler = GradScaler()
    for x in batches:
        optimizer.zero_grad()
        if quick:
            model(x).sum().backward()
        else:
            model(x).mean().backward()
        scaler.step(optimizer)
        scaler.update()


def two_unscales(batches, quick):
    model = nn.Linear(2, 2)
    optimizer = optim.SGD(model.parameters(), 0.1)
    scaler = GradScaler()
    for x in batches:
        optimizer.zero_grad()
        scaler.scale(model(x).sum()).backward()
        if quick:
            scaler.unscale_(optimizer)
        else:
            scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()


def two_halves(batches, quick):
    model = nn.Linear(2, 2).half()
    optimizer = optim.SGD(model.parameters(), 0.1)
    scaler = GradScaler()
    for x in batches:
        optimizer.zero_grad()
        if quick:
            scaler.scale(model(x).sum()).backward()
        else:
            scaler.scale(model(x).mean()).backward()
        scaler.step(optimizer)
        scaler.update()


def evaluated_in_two_places(model: nn.Module, batches, quick):
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
    optimizer = optim.SGD(model.parameters(), 0.1)
    for x in batches:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        if quick:
            model.eval()
        else:
            model.eval()
        with torch.no_grad():
            model(x)


def clipped_in_two_places(batches, quick):
    model = nn.Linear(2, 2)
    optimizer = optim.SGD(model.parameters(), 0.1)
    for x in batches:
        optimizer.zero_grad()
        if quick:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        else:
            nn.utils.clip_grad_value_(model.parameters(), 1.0)
        model(x).sum().backward()
        optimizer.step()


@torch.no_grad()
@torch.enable_grad()
def switched_on(x):
    w = torch.ones(3, requires_grad=True)
    (w * 2).sum().backward()


@torch.enable_grad()
@torch.no_grad()
def switched_off(x):
    w = torch.ones(3, requires_grad=True)
    (w * 2).sum().backward()


def scheduled_in_two_places(batches, quick):
    model = nn.Linear(2, 2)
    optimizer = optim.SGD(model.parameters(), 0.1)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1)
    for x in batches:
        optimizer.zero_grad()
        model(x).sum().backward()
        if quick:
            scheduler.step()
        else:
            scheduler.step()
        optimizer.step()


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head(x)


def replaced_in_two_places(batches, quick):
    model = Replaced()
    optimizer = optim.SGD(model.parameters(), 0.1)
    if quick:
        model.head = nn.Linear(2, 3)
    else:
        model.head = nn.Linear(2, 4)
    for x in batches:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def sizes_that_are_floats():
    return nn.Conv2d(kernel_size=3.0, out_channels=4.0, in_channels=3.0)


def longer_than_a_sum_is_kept(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s):
    first = torch.cat([torch.zeros(one.shape[0]) for one in (a, b, c, d, e, f, g, h, i)])
    second = torch.cat([torch.zeros(one.shape[0]) for one in (j, k, m, n, o, p, q, r, s)])
    return torch.cat([first, second])
