"""Uninitialised memory of which every element is written by the method that is called on it."""

import torch


def noise(low, high, count: int):
    scale = torch.FloatTensor(1).uniform_(low, high)
    index = torch.LongTensor(count).fill_(0)
    moved = torch.FloatTensor(2, 3).cuda().normal_()
    read = torch.FloatTensor(count).abs()  # expect: TL911
    return scale, index, moved, read
