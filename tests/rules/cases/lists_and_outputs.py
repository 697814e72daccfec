"""Lists of one object, tensors of lists, lengths to pack, and `out=`: near misses of TL312, TL315, TL316, TL423."""

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Plain:
    def __init__(self, count):
        self.count = count


def lists(n, layer, width):
    [Plain(1)] * 3
    [nn.Dropout(0.1)] * 3
    [nn.Linear(width, width)] * 1
    [layer] * 3
    [nn.Linear(width, 1), nn.ReLU()] * 2
    nn.ModuleList([nn.Linear(width, width)] * n)  # expect: TL312
    return [nn.Linear] * 3


def counters():
    totals = [torch.zeros(2)] * 2
    totals[0] = totals[0] + 1
    numbers = [0] * 3
    numbers[0] += 1
    rows = [torch.zeros(2)] * 2
    rows[0] = torch.ones(2)
    rows[0] += 1
    twice = [torch.zeros(2)] * 3  # expect: TL312
    twice[1] = torch.ones(2)
    twice[0] += 1
    single = [torch.zeros(2)] * 1
    single[0] += 1
    return totals, numbers, rows, twice, single


def tensors(arrays, more: list):
    torch.tensor(arrays)
    torch.tensor(np.array([np.ones(2), np.ones(2)]))
    torch.tensor([np.ones(2).mean(), 1.0])
    torch.tensor([torch.ones(1).item()] * 3)
    torch.tensor([a for a in more])
    torch.tensor([])
    torch.stack([torch.from_numpy(a) for a in (np.ones(2), np.zeros(2))])
    torch.tensor([np.ones(2), np.zeros(2)])  # expect: TL316 (info)
    return torch.tensor([np.ones(800), np.zeros(800)])  # expect: TL316


def packed(x, lengths, flag: bool):
    pack_padded_sequence(x, lengths)
    pack_padded_sequence(x, [3, 3, 1])
    pack_padded_sequence(x, [1, 3], enforce_sorted=flag)
    pack_padded_sequence(x, [1, len(lengths)])
    pack_padded_sequence(x, sorted([1, 3], reverse=True))
    pack_padded_sequence(torch.ones(3, 2, 1), torch.tensor([1, 3]), enforce_sorted=False)
    try:
        pack_padded_sequence(torch.ones(3, 2, 1), [1, 3])
    except RuntimeError:
        print("not sorted")
    return pack_padded_sequence(torch.ones(3, 2, 1), (1, 3))  # expect: TL315


def outputs(x, weight: torch.Tensor, out):
    layer = nn.Linear(3, 3)
    torch.add(x, weight, out=out)
    torch.add(layer.weight.detach(), 1, out=torch.empty(3, 3))
    torch.add(layer.weight, 1, out=None)
    with torch.inference_mode():
        torch.add(layer.weight, 1, out=torch.empty(3, 3))
    for parameter in layer.parameters():
        parameter.requires_grad_(False)
    torch.exp(layer.weight, out=torch.empty(3, 3))
    torch.cat([torch.ones(1), nn.Parameter(torch.ones(1))], out=torch.empty(2))  # expect: TL423
    return torch.exp(torch.ones(2), out=torch.zeros(2, requires_grad=True))  # expect: TL423


@torch.no_grad()
def updated(mean, model: nn.Linear):
    torch.lerp(mean, model.weight, 0.1, out=mean)
