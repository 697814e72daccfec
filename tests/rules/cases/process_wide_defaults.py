"""Defaults that a module's body sets hold in functions that are called later."""

import torch
from torch import nn

torch.set_default_device("cuda")
torch.set_default_dtype(torch.float64)


def test_layer_is_made_where_the_input_is():
    x = torch.randn(4, 3).cuda()
    assert nn.Linear(3, 2)(x).shape == (4, 2)


def test_layer_has_the_default_dtype():
    x = torch.randn(4, 3, dtype=torch.float64)
    narrow = torch.randn(4, 3, dtype=torch.float32)
    layer = nn.Linear(3, 2)
    return layer(x), layer(narrow)  # expect: TL213
