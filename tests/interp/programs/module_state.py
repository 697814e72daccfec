import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.fc(x))


flag = torch.rand(1).item() > 2
net = Net()
if flag:
    net.double()
x = net(torch.randn(2, 4))
other = Net()
if flag:
    other.eval()
    for p in other.parameters():
        p.requires_grad = False
y = other(torch.randn(2, 4))
third = Net()
third.requires_grad_(False)
z = third(torch.randn(2, 4))
fourth = Net().double()
weight = fourth.fc.weight  # fact: weight = f64[8, 4] grad
v = fourth(torch.randn(2, 4).double())
for p in third.parameters():
    p.requires_grad = True
u = third(torch.randn(2, 4))
layer = nn.Linear(3, 3, bias=False)
bias = layer.bias
layer.weight.requires_grad = False
t = layer(torch.ones(1, 3))
layer.weight.data.fill_(1.0)
layer.out_features
s = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
r = s(torch.ones(5, 2))  # fact: r = f32[5, 3] grad
s[0] = nn.Linear(2, 7)
q = s(torch.ones(5, 2))  # fact: q = f32[5, 7] grad
s.append(nn.Linear(7, 1))
o = s(torch.ones(5, 2))  # fact: o = f32[5, 1] grad
s.add_module("tail", nn.Linear(1, 9))
n = s(torch.ones(5, 2))  # fact: n = f32[5, 9] grad
s.add_module("tail", nn.Linear(1, 4))
m = s(torch.ones(5, 2))
count = len(s)
