"""A legacy constructor of CUDA tensors needs CUDA as `.cuda()` does, and so does what replaces it."""

import torch


def labels():
    return torch.cuda.LongTensor([1, 0])  # expect: TL314 # expect: TL911 (info)


def weights(count):
    if count:
        return torch.cuda.FloatTensor(3).fill_(1.0)  # ok: only where `count` says so
    return torch.zeros(3)
