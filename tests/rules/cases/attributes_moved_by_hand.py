"""Plain tensors of a module that its own `to` moves, that are moved where they are used, or that are only handed on."""

import torch
from torch import nn


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 8, 3)
        self.mean = torch.tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)
        self.std = torch.tensor([0.229, 0.224, 0.225]).view(-1, 1, 1)  # expect: TL308

    def to(self, device):
        moved = super().to(device)
        moved.mean = moved.mean.to(device)
        return moved

    def forward(self, x):
        return self.layer((x - self.mean) / self.std)  # expect: TL303


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.anchors = torch.ones(2)
        self.sizes = torch.ones(2, 2)
        self.offsets = torch.ones(2)  # expect: TL308
        self.start = torch.zeros(2)
        self.weights = torch.ones(2)
        self.conv = nn.Conv2d(3, 2, 1)

    def forward(self, p):
        p = self.conv(p) + torch.abs(self.start.data.clone()).to(p.device)[None, :, None, None]
        p = p * torch.exp(self.weights).to(p.device)[None, :, None, None]
        p = p + (1.0 * self.anchors).to(p.device)[None, :, None, None]
        p = p * -self.sizes[0].view(1, 2, 1, 1).to(p.device)
        return p + (2 * self.offsets)[None, :, None, None]  # expect: TL303


class Boxes(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.fused = fused
        self.boxes = torch.rand(3, 4)
        self.given = torch.rand(3, 4)  # expect: TL308

    def forward(self, x):
        output = (self.layer(x), self.boxes)
        if self.fused:
            return torch.cat([x, self.given])  # expect: TL303
        return output


device = "cuda" if torch.cuda.is_available() else "cpu"
image = torch.randn(1, 3, 8, 8, device=device)
Features().to(device)(image)
Head().to(device)(image)
located, boxes = Boxes(False).to(device)(torch.randn(3, 4, device=device))
(located - boxes.to(device)).abs().mean()
Boxes(True).to(device)(torch.randn(3, 4, device=device))


class Dilated(nn.Module):
    """Whole numbers are indices as a rule, which may stay on the CPU."""

    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.places = torch.arange(0, 12, 3)  # expect: TL308 (info)
        self.others = torch.arange(size)  # expect: TL308 (info)
        self.scales = torch.ones(4)  # expect: TL308
        self.first = 0

    def forward(self, x):
        places = self.first + self.places
        x[:, places] = self.layer(x[:, self.first + self.others])
        return self.layer(x) * self.scales


Dilated(12).cuda()
