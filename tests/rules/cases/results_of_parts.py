"""Methods that only compute, called on a part of a tensor as statements of their own."""

import pytest
import torch


def clipped(boxes: torch.Tensor, width, height):
    boxes[:, 0::2].clamp(min=0, max=width)  # expect: TL901
    boxes[:, 1::2].clamp_(min=0, max=height)
    boxes[:, 2:3] = boxes[:, 2:3].clamp(min=1)
    return boxes


def first_of_each(batch: torch.Tensor, i):
    batch[i, -1].mul(2)  # expect: TL901
    batch[0].add(1)  # expect: TL901
    return batch.sum()


class Buffer:
    def __init__(self):
        self.data = torch.zeros(4, 3)

    def decay(self):
        self.data[1:].mul(0.9)  # expect: TL901


def timed():
    table = torch.rand(4, 3)
    table[:2].exp()  # nothing reads the table again: the call may be there to be timed
    print("done")


def refused():
    table = torch.rand(4, 3)
    with pytest.raises(RuntimeError):
        table[:2].add(torch.ones(7))
    return table


def of_lists(parts, chosen):
    parts[0].add(3)
    parts[chosen()].add(3)
    return parts
