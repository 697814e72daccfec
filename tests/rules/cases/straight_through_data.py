"""Other values for a tensor of which the gradient is kept on purpose, and a change that gradients do not know of."""

import torch


def reset(x, other):
    y = x * 2
    y.data += other - y.data  # ok: the values of `other`, the gradient of `y`
    return y


def add(x, other):
    y = x * 2
    y.data += other  # expect: TL407
    return y * y


reset(torch.ones(3, requires_grad=True), torch.zeros(3)).sum().backward()
add(torch.ones(3, requires_grad=True), torch.zeros(3)).sum().backward()
