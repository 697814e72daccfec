"""The result of cat has as many dims as each operand that is certainly joined."""

import torch
from torch import nn


class Detection(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv3d(4, 8, 3, padding=1), nn.BatchNorm2d(8))

    def forward(self, image):
        u = torch.zeros(image.size(0), 1, image.size(2), image.size(3), device=image.device)
        return self.encoder(torch.cat([image, u], dim=1))


def joined(given):
    given = given.relu()
    matrix = torch.zeros(3, 4)
    made = torch.cat([given, matrix], dim=1)
    torch.cat([matrix, given], dim=0) @ torch.zeros(5, 2)  # expect: TL105
    made @ torch.zeros(5, 2)
    return made.transpose(0, 2)  # expect: TL122


Detection()(torch.randn(4, 7, 16, 16))
