import torch
import torch.nn.functional as F
from torch import nn


x = torch.randn(2, 3, 16, 16)
net = nn.Sequential(
    nn.Conv2d(3, 6, kernel_size=3, stride=2, padding=1, groups=3),
    nn.BatchNorm2d(6),
    nn.LeakyReLU(0.2, inplace=True),
    nn.MaxPool2d(2),
    nn.ConvTranspose2d(6, 4, 2, stride=2),
    nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
)
y = net(x)
print(y.shape, F.interpolate(y, size=(8, 8)).shape, F.unfold(x, 3).shape, net[0].out_channels, net[0].kernel_size)
