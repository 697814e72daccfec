"""A test of what is imported chooses the code for an older torch, in which `torch.fft` was a function."""

import sys

import torch


def transform(inputs):
    if "torch.fft" not in sys.modules:
        return torch.fft(inputs, 1)  # ok: only where there is no such module
    return torch.fft.fft(inputs)


def wrong(inputs):
    return torch.fft(inputs, 1)  # expect: TL933
