import cv2
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image


def read(path):
    return cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)


def predict(model, path):
    image = cv2.imread(path)
    x = torch.from_numpy(image).float().unsqueeze(0)
    return model(x)


def classify(path):
    net = nn.Conv2d(3, 8, 3)
    image = cv2.imread(path)
    good = net(torch.from_numpy(image).permute(2, 0, 1).float()[None])
    also = net(torch.from_numpy(image.transpose(2, 0, 1)).float()[None])
    one = net(torch.from_numpy(image).float())  # expect: TL120
    bad = net(torch.from_numpy(image).float().unsqueeze(0) / 255.0)  # expect: TL120
    picture = np.asarray(Image.open(path).convert("RGB"), dtype=np.float32)
    worse = net(torch.tensor(picture)[None])  # expect: TL120
    grey = np.asarray(Image.open(path).convert("L"), dtype=np.float32)
    first = nn.Conv2d(1, 8, 3)
    unknown = first(torch.tensor(grey)[None])
    lazy = nn.LazyConv2d(8, 3)(torch.tensor(picture)[None])
    return good, also, one, bad, worse, unknown, lazy, read(path)


class Conv2d(nn.Conv2d):
    """A convolution of the user's that takes its channels behind."""

    def forward(self, x):
        return super().forward(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


class Either(nn.Module):
    def __init__(self, channels_last=False):
        super().__init__()
        self.channels_last = channels_last
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        if self.channels_last:
            x = x.permute(0, 3, 1, 2)
        return self.conv(x)


class NeighbourSizes(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 16, 3, padding=1)
        self.b = nn.Conv2d(32, 8, 3)

    def forward(self, x):
        return self.b(self.a(x))  # expect: TL121


def run():
    Conv2d(3, 8, 3)(torch.rand(1, 8, 8, 3))
    Either(True)(torch.rand(1, 8, 8, 3))
    Either()(torch.rand(1, 3, 8, 8))
    NeighbourSizes()(torch.rand(1, 3, 32, 32))
    try:
        nn.Conv2d(3, 4, 3)(torch.ones(1, 8, 8, 3))
    except RuntimeError as e:
        print(e)
    try:
        nn.BatchNorm2d(3)(torch.ones(1, 8))
    except ValueError as e:
        print(e)
    F.conv1d(torch.ones(1, 8, 5), torch.ones(4, 5, 3))  # expect: TL120
    F.conv1d(torch.ones(1, 8, 5).mT, torch.ones(4, 5, 3))


def norms(flag):
    x = torch.randn(4, 10, 16)
    a = nn.BatchNorm1d(16)(x)  # expect: TL124
    b = nn.BatchNorm1d(16)(x.transpose(1, 2))
    c = nn.BatchNorm1d(16)(x.flatten(0, 1))
    d = nn.BatchNorm1d(16)(x if flag else x.flatten(0, 1))
    e = nn.LayerNorm((10, 16))(x)
    f = nn.LayerNorm((16, 10))(x)  # expect: TL124
    g = nn.GroupNorm(4, 10)  # expect: TL124
    h = nn.GroupNorm(2, 10)(x)
    i = F.layer_norm(x, x.shape[1:])
    j = F.layer_norm(x, (10,))  # expect: TL124
    k = nn.InstanceNorm1d(16)(x)
    m = F.group_norm(x, 3)  # expect: TL124
    return a, b, c, d, e, f, g, h, i, j, k, m


def choose(name, width):
    layers = {"batch": nn.BatchNorm2d, "group": lambda c: nn.GroupNorm(8, c)}
    if name == "group" and width % 8:
        return nn.Identity()
    return layers[name](width)


choose("group", 12)
choose("batch", 12)


class AfterConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 16, 3)
        self.bn = nn.BatchNorm1d(16)
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        a = self.bn(self.pool(self.conv(x)).flatten(1))
        b = self.bn(self.conv(x).mean((2, 3)))
        c = self.bn(self.conv(x).squeeze(-1))
        return a, b, c, self.bn(torch.relu(self.conv(x)))  # expect: TL124


def digits(loader):
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 26 * 26, 10))
    data = torch.utils.data.TensorDataset(torch.rand(100, 28, 28), torch.zeros(100))
    for x, y in torch.utils.data.DataLoader(data, batch_size=10):
        net(x)  # expect: TL120
        net(x.unsqueeze(1))
        net(x[:, None])
        net[:2](x[:1])
        for one in x:
            net(one[None, None])
    for x, y in loader:
        net(x)
