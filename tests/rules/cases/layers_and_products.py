import torch
import torch.nn as nn
import torch.nn.functional as F

class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 10)
    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))  # expect: TL121
        return self.fc2(x)

net = LeNet()
net(torch.randn(4, 1, 28, 28))
class LeNetOk(LeNet):
    pass
class Enc(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a = nn.Linear(32, d)
        self.b = nn.Linear(2 * d, 10)
        self.bn = nn.BatchNorm1d(d)
    def forward(self, x):
        h = F.relu(self.a(x))
        h = self.bn(h)
        return self.b(h)  # expect: TL121

def blocks():
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(32), nn.ReLU())

def use():
    m = blocks()
    return m(torch.zeros(1, 3, 8, 8))  # expect: TL121

def attn_scores(q, k):
    return q @ k.transpose(-2, -1)

def run():
    q, k = torch.randn(2, 5, 16), torch.randn(2, 7, 16)
    s = attn_scores(q, k)
    bad = q @ k  # expect: TL105
    v = torch.randn(2, 7, 16)
    out = s @ v
    w = torch.randn(16, 8)
    e = torch.einsum("bij,jk->bik", q, w)
    f = F.linear(q, w)  # expect: TL105
    g = F.linear(q, w.t())
    return bad, out, e, f, g

def reshape_bad():
    x = torch.arange(24)
    a = x.view(4, 5)  # expect: TL102
    b = x.reshape(-1, 7)  # expect: TL102
    c = x.view(2, 3, 4).reshape(-1, -1)  # expect: TL102
    d = x.view(-1, 6).view(2, 2, 6)
    e = torch.zeros(3, 4).unflatten(1, (2, 3))  # expect: TL102
    return a, b, c, d, e

def patches(img: torch.Tensor):
    b, c, h, w = img.shape
    y = img.reshape(b, c, h // 4, 4, w // 4, 4)
    return y.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * 16)

class Ok(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.cls = nn.Linear(8, n_classes)
    def forward(self, x):
        x = self.features(x)
        return self.cls(x.view(x.size(0), -1))
Ok()(torch.zeros(2, 3, 32, 32))
cnn = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 30 * 30, 2))
cnn(torch.zeros(1, 3, 32, 32))
