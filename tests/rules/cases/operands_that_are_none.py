"""None and texts beside tensors: torch raises, and what is believed of such a value is not true; it has no shape."""

import torch

weights = torch.ones(3)


def times(scale):
    scaled = scale * weights
    return torch.cdist(scaled, scaled)


def multiplied(scale):
    scaled = weights.mul(scale)
    return torch.cdist(scaled, scaled)


def by_function(scale):
    scaled = torch.mul(weights, scale)
    return torch.cdist(scaled, scaled)


def chosen(other):
    one = torch.where(weights > 0, weights, other)
    return torch.cdist(one, one)


def compared(bound):
    above = weights > bound
    return torch.cdist(above, above)


def by_a_number(scale):
    scaled = scale * weights
    return torch.cdist(scaled, scaled)  # expect: TL128


def limited(bound):
    scaled = weights.clamp(bound, None)
    return torch.cdist(scaled, scaled)  # expect: TL128


times(None)
times("text")
multiplied(None)
by_function(None)
chosen(None)
compared(None)
by_a_number(2)
limited(0.0)
