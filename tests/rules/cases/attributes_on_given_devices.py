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


class Decaying(nn.Module):
    """What `torch.tensor` makes of a value of which nothing is known may be a number, which goes with any device."""

    def __init__(self, alpha, levels):
        super().__init__()
        self.alpha = torch.tensor(alpha)
        self.levels = torch.tensor([0.5, 0.5])  # expect: TL308

    def forward(self, state):
        return self.alpha * state + self.levels


def run(args):
    return Masked(args).to(args.device), Decaying(args.alpha, 2).to(args.device)


class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3, device="cpu")  # expect: TL308

    def forward(self, x):
        return x * self.scale


net = Fixed().to("cuda")


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class OnTheDeviceOfTheFile(nn.Module):
    """The file places everything on its device, and inputs as well."""

    def __init__(self):
        super().__init__()
        self.mean = torch.tensor([104.0, 117.0, 123.0]).to(device)
        self.std = torch.ones(3, device=device)
        device_of_others = "cpu"
        self.offset = torch.ones(3).to(device_of_others)  # expect: TL308

    def forward(self, x):
        return (x.to(device) - self.mean) / self.std + self.offset  # expect: TL303


placed = OnTheDeviceOfTheFile().to(device)


class Normalise(nn.Module):
    """Has nothing that moves, and nobody moves it."""

    def __init__(self):
        super().__init__()
        self.size = (3, 4)
        self.mean = torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1)  # expect: TL308 (info)

    def forward(self, x: torch.Tensor):
        return x - self.mean


class NormaliseAndScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.mean = torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1)  # expect: TL308

    def forward(self, x: torch.Tensor):
        return (x - self.mean) * self.scale
