"""Gradients that a statement has switched off, and threads that do not know of it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F
from torch import nn


def train(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()  # expect: TL413
        optimizer.step()


def evaluate(model, loader):
    torch.set_grad_enabled(False)
    return sum((model(x).argmax(1) == y).sum() for x, y in loader)


def fit(model, loader, optimizer, criterion):
    for _ in range(20):
        train(model, loader, optimizer, criterion)
        evaluate(model, loader)


def fit_with_switch(model, loader, optimizer, criterion):
    for _ in range(20):
        torch.set_grad_enabled(True)
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        evaluate(model, loader)


def by_phase(phase, x):
    torch.set_grad_enabled(phase == "train")
    nn.Linear(4, 3)(x).sum().backward()


def maybe_off(debug, x):
    if debug:
        torch.set_grad_enabled(False)
    nn.Linear(4, 3)(x).sum().backward()


def enabled_in_a_block(model, x):
    torch.set_grad_enabled(False)
    with torch.enable_grad():
        loss = model(x).sum()
    loss.backward()


def made_before(model, x):
    loss = model(x).sum()
    torch.set_grad_enabled(False)
    print(model(x))
    loss.backward()


def unseen(model, x):
    torch.set_grad_enabled(False)
    loss = model(x).sum()
    loss.backward()  # expect: TL413


def frozen(x):
    net = nn.Linear(4, 3).requires_grad_(False)
    torch.set_grad_enabled(False)
    net(x).sum().backward()  # expect: TL405


def expected(x):
    torch.set_grad_enabled(False)
    try:
        F.relu(nn.Linear(4, 3)(x)).sum().backward()
    except RuntimeError:
        print("off")


def logs(queue):
    while True:
        print(queue.get())


def detaches(model, x):
    with torch.no_grad():
        return model(x)


def started(batches, queue):
    net = nn.Linear(4, 3)

    def run(x):
        return net(x)

    with torch.no_grad():
        threading.Thread(target=logs, args=(queue,)).start()
        threading.Thread(target=detaches, args=(net, batches[0])).start()
        threading.Thread(target=run, args=(batches[0],)).start()  # expect: TL417
        with ThreadPoolExecutor() as pool:
            pool.submit(net, batches[0])  # expect: TL417
            pool.submit(print, batches[0])
    threading.Thread(target=run, args=(batches[0],)).start()
