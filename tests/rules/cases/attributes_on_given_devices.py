import torch
from torch import nn


class Masked(nn.Module):
    """Tensors that are made on the device that the module goes to need not move."""

    def __init__(self, args):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.made_there = torch.ones(3, device=args.device)
        self.moved_there = torch.ones(3).to(args.device)
        self.on_the_gpu = torch.ones(3).cuda()
        self.left = torch.ones(3)  # expect: TL308

    def forward(self, x):
        return self.layer(x) * self.made_there * self.moved_there * self.on_the_gpu * self.left


def run(args):
    return Masked(args).to(args.device)


class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3, device="cpu")  # expect: TL308

    def forward(self, x):
        return x * self.scale


net = Fixed().to("cuda")
