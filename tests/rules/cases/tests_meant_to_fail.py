"""Errors of tests that are marked as failing, and warnings that a test records, are expected."""

import unittest
import warnings

import torch
import torch.nn.functional as F
from torch import nn

try:
    import pytest
except ImportError:
    pytest = None


class Marked(unittest.TestCase):
    @unittest.expectedFailure
    def test_not_yet(self):
        torch.zeros(2, 3) @ torch.zeros(2, 3)

    def test_now(self):
        torch.zeros(2, 3) @ torch.zeros(2, 3)  # expect: TL105


if pytest:

    @pytest.mark.xfail(raises=RuntimeError, strict=True)
    def test_sizes():
        torch.zeros(3).view(2, 2)

    def test_second_backward():
        loss = (torch.randn(2, requires_grad=True) ** 2).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        torch.zeros(3).view(2, 2)  # expect: TL102


def test_records_the_warning():
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        F.mse_loss(torch.rand(3, 1), torch.rand(3))
    assert recorded
    F.mse_loss(torch.rand(3, 1), torch.rand(3))  # expect: TL210


def replaces_weight_and_bias():
    layer = nn.Linear(10, 4)
    layer.weight = nn.Parameter(torch.randn(6, 2))
    layer.bias.data = torch.randn(6)
    return layer(torch.randn(5, 2))


def replaces_the_weight_only():
    layer = nn.Linear(10, 4)
    layer.weight = nn.Parameter(torch.randn(6, 2))
    return layer(torch.randn(5, 2))  # expect: TL612
