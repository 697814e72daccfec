import itertools

import torch


def zipped(widths):
    for d, c, w in zip((2, 3), (5, 7), widths):
        x = torch.ones(d, c)
        y = x.view(-1)
        z = torch.cat([x, torch.ones(d, d)], 1)
        if d == c:
            z = torch.ones(1)
    return [(a, b) for a, b, _ in zip((2, 3), (5, 7), widths)], y, z


def nested():
    def made(a, b):
        x = torch.ones(a, b)
        return x

    return [made(a, b) for a in (2, 3) for b in (4, 5)]


def mapped(widths):
    def made(a, b, _):
        x = torch.ones(a, b)
        return x

    return list(map(made, (2, 3), (5, 7), widths))


zipped([1, 1])
zipped(itertools.repeat(1))
nested()
mapped(itertools.repeat(1))
