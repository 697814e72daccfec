"""Graphs that are gone through twice, and values that backward needs: the ones that raise, and their near misses."""

import torch
import torch.nn.functional as F
from torch import nn


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def shared_conditionally(x, both):
    net = Body()
    h = net(x)
    if both:
        h.mean().backward(retain_graph=True)
    else:
        h.mean().backward()
    h.sum().backward()


def shared_in_one_arm(x, flag):
    net = Body()
    h = net(x)
    if flag:
        h.mean().backward()
    h.sum().backward()


def rebuilt(x, steps):
    net = Body()
    h = net(x)
    for _ in range(steps):
        h.mean().backward()
        h = net(x)


def not_rebuilt(x, steps):
    net = Body()
    h = net(x)
    for _ in range(steps):
        h.mean().backward()  # expect: TL403
        net(x)


def once(x, steps):
    net = Body()
    loss = net(x).sum()
    for step in range(steps):
        loss.backward()
        break


def last_only(x, steps):
    net = Body()
    total = 0
    for step in range(steps):
        total = total + net(x).sum()
        if step == steps - 1:
            total.backward()


def every_time(x, steps):
    net = Body()
    total = torch.zeros(())
    for _ in range(steps):
        total = total + net(x).sum()
        total.backward()  # expect: TL419


def expected(x):
    loss = Body()(x).sum()
    loss.backward()
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)


def two_models(x):
    a, b = Body(), Body()
    a(x).sum().backward()
    b(x).sum().backward()
    out = a(x)
    out.sum().backward()
    out = b(x)
    out.sum().backward()


def retained(x, keep):
    h = Body()(x)
    h.sum().backward(retain_graph=keep)
    h.mean().backward()


def with_inputs(x):
    net = Body()
    h = net(x)
    h.sum().backward(inputs=[net.first.weight])
    h.mean().backward()  # the first one leaves most of the graph as it was


def of_several(x):
    net = Body()
    h = net(x)
    torch.autograd.backward([h.sum(), h.mean()])
    torch.autograd.backward(h.sum())  # expect: TL403


def clipped(x):
    net = Body()
    h = net(x)
    h.clamp_(min=0)
    h.sum().backward()
    p = torch.softmax(net(x), dim=-1)
    p.mul_(0.5)
    p.sum().backward()  # expect: TL402


def behind(x):
    net = Body()
    p = torch.softmax(net(x), dim=-1)
    q = p.data  # expect: TL407
    q.mul_(0.5)
    p.sum().backward()


def masked(x, mask):
    net = Body()
    scores = net(x)
    scores.masked_fill_(mask, -1e9)
    weights = scores.softmax(-1)
    weights = weights.masked_fill(mask, 0.0)
    weights[0] = 0
    (weights * 2).sum().backward()


def maybe_changed(x, flag):
    h = torch.exp(Body()(x))
    if flag:
        h += 1
    h.sum().backward()


def changed_first(x):
    h = Body()(x)
    h += 1
    g = h.exp()
    g.sum().backward()


def factors(x):
    a, b = torch.ones(3, requires_grad=True) * 2, torch.ones(3)
    c = a * b
    a += 1
    c.sum().backward()
    a, b = torch.ones(3, requires_grad=True) * 2, torch.ones(3)
    c = a * b
    b += 1
    c.sum().backward()  # expect: TL402


def frozen_input(x):
    layer = nn.Linear(4, 3)
    layer.weight.requires_grad = False
    x = torch.ones(2, 4)
    out = layer(x)
    x += 1
    out.sum().backward()


def read_input():
    layer = nn.Linear(4, 3)
    x = torch.ones(2, 4)
    out = layer(x)
    x.zero_()
    out.sum().backward()  # expect: TL402


def mixed_precision(x):
    layer = nn.Linear(4, 3)
    x = torch.ones(2, 4)
    with torch.autocast("cpu"):
        out = layer(x)
    x.zero_()
    out.sum().backward()


def truncated(steps):
    cell = nn.GRUCell(4, 8)
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
    h = torch.zeros(2, 8)
    for _ in range(steps):
        h = cell(torch.randn(2, 4), h)
        optimizer.zero_grad()
        h.sum().backward(retain_graph=True)  # expect: TL402 # expect: TL420
        optimizer.step()


def detached_in_helper(steps):
    def cut(state):
        return [part.detach() for part in state]

    lstm = nn.LSTM(4, 8)
    state = [torch.zeros(1, 2, 8), torch.zeros(1, 2, 8)]
    for _ in range(steps):
        out, state = lstm(torch.randn(5, 2, 4), tuple(cut(state)))
        out.sum().backward()


def without_recording(steps):
    cell, h = nn.GRUCell(4, 8), torch.zeros(2, 8)
    loss = nn.Linear(8, 1)
    for _ in range(steps):
        with torch.no_grad():
            h = cell(torch.randn(2, 4), h)
        loss(h).sum().backward()


def moved(x, step):
    net = Body()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(x).sum().backward()
    before = net(x).mean()
    optimizer.step()
    before.item()
    net(x).mean().backward()


def targets(student, x):
    net = Body()
    with torch.inference_mode():
        teacher = net(torch.ones(2, 4))
        teacher.mul_(2)
    loss = F.mse_loss(net(torch.ones(2, 4)), teacher)  # expect: TL414
    loss = F.l1_loss(net(torch.ones(2, 4)), teacher)
    with torch.inference_mode():
        both = F.mse_loss(net(torch.ones(2, 4)), teacher)
    return loss, both


@torch.inference_mode()
def all_inside(x):
    net = Body()
    feature = torch.ones(2, 4)
    feature += 1
    return net(feature)


def either_mode(flag):
    with torch.inference_mode(flag):
        feature = torch.ones(2, 4)
    return Body()(feature)


class Scaled:
    """A backward whose `create_graph` its caller chooses."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def __call__(self, loss, create_graph=False):
        loss.backward(create_graph=create_graph)
        self.optimizer.step()


def chosen(create=False):
    h = Body()(torch.ones(2, 4))
    h.sum().backward(create_graph=create)
    h.sum().backward()


def for_each_sample(dataset, args):
    net, each = nn.Linear(4, 3), nn.CrossEntropyLoss(reduction="none")
    data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.randint(0, 3, (32,)))
    for x, y in torch.utils.data.DataLoader(data, batch_size=8):
        loss = each(net(x), y)
        loss.mean().backward()
        each(net(x), y).backward()  # expect: TL404
    for x, y in torch.utils.data.DataLoader(data):
        each(net(x), y).backward()
    for x, y in torch.utils.data.DataLoader(dataset, batch_size=args.batch):
        each(net(x), y).backward()
    some = args.tensor[:, 0]
    (some * net.weight.sum()).backward()


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.ones(6, 6))

    def hidden(self, k):
        """The memory of `rows[k]` is that of `rows` or its own."""
        rows = self.scores.softmax(1)
        row = rows[k]
        row.data[k] = -1  # expect: TL407
        return row.log().sum()
