"""A program puts classes into torch.nn under names that it computes."""

import torch
from torch import nn


class Own(nn.Module):
    def forward(self, x):
        return x


def register(cls):
    setattr(nn, cls.__name__, cls)


def test_it_is_there():
    register(Own)
    assert torch.nn.Own is Own


def test_it_is_there_under_another_name(name):
    setattr(torch.nn, name, Own)
    return torch.nn.Other()


def test_it_is_not_there():
    return torch.nn.Missing()  # expect: TL902


def test_a_name_of_its_own():
    setattr(torch.nn, "Third", Own)
    return torch.nn.Third(), torch.nn.Fourth()  # expect: TL902
