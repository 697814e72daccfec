"""Names that only torch's stubs have, and those that are meant."""

import torch
from torch import Module, Tensor, nn  # expect: TL902


class Layer(nn.Module):
    def forward(self, x: Tensor):
        return x.to(torch.Device("cpu"))  # expect: TL902


class Other(Module):
    def forward(self, x: Tensor):
        return x.to(torch.device("cpu"))
