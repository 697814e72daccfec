"""Clocks that are read after something has waited for the GPU, though not by synchronize()."""

import json
import time

import torch
from torch import nn

device = torch.device("cuda")
x = torch.rand(100, 100, device=device)
host = torch.rand(100, 100)
model = nn.Linear(100, 100).to(device)


def stepped():
    optimizer = torch.optim.Adam(model.parameters())
    start = time.time()
    model(x).sum().backward()
    optimizer.step()
    return time.time() - start  # expect: TL317


def stepped_with_a_closure():
    optimizer = torch.optim.LBFGS(model.parameters(), line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        return loss

    start = time.time()
    optimizer.step(closure)
    return time.time() - start


def stepped_if_finite():
    optimizer, scaler = torch.optim.Adam(model.parameters()), torch.amp.GradScaler()
    start = time.time()
    scaler.scale(model(x).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return time.time() - start


def tested():
    start = time.time()
    y = x @ x
    if (y > 0).all():
        y = y + 1
    middle = time.time()
    first = middle - start
    z = host @ host
    while z.sum() > 100:
        z = z - 1
    y = y @ y
    end = time.time()  # expect: TL317
    second = end - middle
    return first, second


def asked(items):
    spent = []
    start = time.time()
    y = x @ x
    assert torch.isfinite(y).all()
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x
    chosen = 1 if y.sum() > 0 else 2
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x
    chosen = max(y[0, 0], y[0, 1])
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x
    chosen = items[y.argmax()], 3 in y
    spent.append(time.time() - start)
    return spent, chosen


def written():
    spent = []
    start = time.time()
    y = x @ x
    text = f"{y.sum()}"
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x
    text = "%s" % y.sum()
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x
    text = "{}".format(y.sum())
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x
    text = json.dumps({"y": y})
    spent.append(time.time() - start)
    return spent, text


def picked():
    spent = []
    start = time.time()
    y = (x @ x)[x > 0]
    spent.append(time.time() - start)
    start = time.time()
    y = torch.masked_select(x @ x, x > 0), torch.where(x > 0)
    spent.append(time.time() - start)
    start = time.time()
    y = torch.linalg.inv(x @ x)
    spent.append(time.time() - start)
    start = time.time()
    y = torch.where(x > 0, x @ x, x)[0]
    spent.append(time.time() - start)  # expect: TL317
    return spent, y


def copied():
    spent = []
    start = time.time()
    y = x @ x, host.cuda()
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x, torch.tensor([1, 2], device=device)
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x, nn.Linear(3, 3).to(device)
    spent.append(time.time() - start)
    start = time.time()
    y = x @ x, host.sum()
    spent.append(time.time() - start)  # expect: TL317
    return spent, y
