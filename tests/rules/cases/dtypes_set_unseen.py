"""What unseen functions and state dicts may change: the dtype of layers inside containers too."""

import torch
from torch import nn
from torch_complex.tensor import ComplexTensor
from unseen import load, place

model = nn.Sequential(nn.Linear(8, 16, dtype=torch.bfloat16))
load(model)
model(torch.ones(2, 8))

assigned = nn.Linear(8, 16, dtype=torch.bfloat16)
assigned.load_state_dict(nn.Linear(8, 16).state_dict(), assign=True)
assigned(torch.ones(2, 8))

copied = nn.Linear(8, 16, dtype=torch.bfloat16)
copied.load_state_dict(nn.Linear(8, 16).state_dict())
copied(torch.ones(2, 8))  # expect: TL230


def power(data: ComplexTensor):
    data = data.permute(0, 3, 2, 1).double()
    return data.real**2 + data.imag**2


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x * self.scale


placed = Scaled()
place(placed)
placed(torch.zeros(2, 3, device="cuda:0"))
