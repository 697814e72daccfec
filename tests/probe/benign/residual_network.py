import torch
from torch import nn


class Block(nn.Module):
    expansion = 1

    def __init__(self, cin, cout, stride=1, norm=nn.BatchNorm2d):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = norm(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = norm(cout)
        self.down = None
        if stride != 1 or cin != cout:
            self.down = nn.Sequential(nn.Conv2d(cin, cout, 1, stride), norm(cout))

    def forward(self, x):
        identity = x if self.down is None else self.down(x)
        out = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(out)) + identity)


class ResNet(nn.Module):
    def __init__(self, block, counts):
        super().__init__()
        self.width = 4
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.layer1 = self._make_layer(block, 4, counts[0])
        self.layer2 = self._make_layer(block, 8, counts[1], stride=2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8 * block.expansion, 10)

    def _make_layer(self, block, width, count, stride=1):
        layers = [block(self.width, width, stride)]
        self.width = width * block.expansion
        for _ in range(1, count):
            layers.append(block(self.width, width))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(self.pool(x).flatten(1))


print(ResNet(Block, [1, 2])(torch.randn(2, 3, 8, 8)).shape)
