"""What is changed through an unknown value that may be one of several objects is not known of any of them."""

import itertools

import torch
from torch import nn


def filled_in_a_loop(rows):
    boxes, depths, unused = [], [], []
    for row in rows:
        for items, item in zip((boxes, depths), row):
            items.append(item)
    return torch.stack(boxes), torch.stack(depths), torch.stack(unused)  # expect: TL128


def one_by_branch(test, other):
    first, second, third, fourth = [], [], [], []
    if test:
        chosen = first
    else:
        chosen = second
    chosen.append(torch.zeros(3))
    (third if test else other).extend(torch.zeros(2, 3))
    read = fourth if test else second
    print(len(read))
    return torch.stack(first), torch.stack(second), torch.stack(third), torch.stack(fourth)  # expect: TL128


def one_of_a_container(key, index, name: str):
    a, b, c, d = [], [], [], []
    {"x": a, "y": b}[key].append(torch.zeros(3))
    (a, c)[index].append(torch.zeros(3))
    {"x": d}.get(name, a).append(torch.zeros(3))
    pair = [[], []]
    for one in pair[index:]:
        one += [torch.zeros(3)]
    return torch.stack(a), torch.stack(c), torch.stack(d), torch.stack(pair[0]), torch.stack(b)


def one_that_python_picks(test):
    a, b, c, d = [], [], [], []
    for one in itertools.chain([a], [b]):
        one.append(torch.zeros(3))
    min((b, c), key=len).append(torch.zeros(3))
    add = d.append if test else c.append
    add(torch.zeros(3))
    return torch.stack(a), torch.stack(b), torch.stack(c), torch.stack(d)


def one_of_the_last_turn(count):
    a, b = [], []
    chosen = a
    for _ in range(count):
        chosen.append(torch.zeros(3))
        chosen = b
    return torch.stack(a), torch.stack(b)


def one_of_the_failed_part(reader):
    lines = []
    try:
        chosen = lines
        reader.read()
    except ValueError:
        chosen.append(torch.zeros(3))
    return torch.stack(lines)


def fill(chosen, key):
    chosen[key].append(torch.zeros(3))


def one_that_a_function_gets(test):
    a, b = {"x": []}, {"x": []}
    fill(a if test else b, "x")
    return torch.stack(a["x"])


class Part:
    def __init__(self):
        self.rows = torch.zeros(3)
        self.named = {"x": []}

    def widen(self):
        self.rows = torch.zeros(5)
        self.named["x"].append(self.rows)


def parts(test, index, unseen):
    a, b, c, d, e, f = Part(), Part(), Part(), Part(), Part(), Part()
    (a if test else b).widen()
    (a, c)[index].rows = torch.zeros(5)
    unseen(d)
    unseen(e.widen)
    print(f)
    rows = a.rows.view(5), c.rows.view(5), d.rows.view(5), e.rows.view(5), f.rows.view(5)  # expect: TL102
    return rows, torch.stack(b.named["x"]), torch.stack(d.named["x"])


def part_in_a_hook(unseen):
    part = Part()

    def hook(module):
        part.widen()

    unseen(hook)
    return part.rows.view(5)


def layers(test):
    first, second = nn.Linear(3, 4), nn.Linear(3, 4)
    (first if test else second).weight = nn.Parameter(torch.zeros(4, 5))
    third = nn.Linear(3, 4)
    return first(torch.zeros(2, 5)), third(torch.zeros(2, 5))  # expect: TL105


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        encoder, decoder, plain = [], [], [nn.Linear(3, 3)]
        for stack in (encoder, decoder):
            stack.append(nn.Linear(3, 4))
        self.encoder = nn.Sequential(*encoder)
        self.plain = nn.Sequential(*plain)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.encoder(x)) + self.head(self.plain(x.view(5, 3)))  # expect: TL121
