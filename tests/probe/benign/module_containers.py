import torch
from torch import nn


class Many(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.named = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x, kind="a"):
        for i, layer in enumerate(self.stack):
            x = x + layer(x) * self.scale if i else layer(x)
        return self.named[kind](x)


print(Many()(torch.ones(1, 4), kind="b"), [type(m).__name__ for m in Many().children()])
