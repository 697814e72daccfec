import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))
        self.count = 0
        self.w = nn.Parameter(torch.zeros(2, 3))
        self.table = {"a": torch.zeros(2), "b": torch.zeros(2)}

    def sizes(self):
        total = torch.zeros(1)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                total = torch.cat([total, m.bias.detach()])
        return total

    def pick(self, key):
        return self.table[key]


net = Net()
total = net.sizes()  # fact: total = f32[7]
for name, child in net.named_children():
    last = child
out = last(torch.zeros(5, 4))  # fact: out = f32[5, 2] grad
key = "ab"[int(torch.ones(1).item())]
picked = net.pick(key)  # fact: picked = f32[2]
layers = {str(i): nn.Linear(3, i + 2) for i in range(20)}
for layer in layers.values():
    y = layer(torch.zeros(1, 3))
    break
z = y.sum(1)  # fact: z = f32[1] grad
net.first.weight = nn.Parameter(torch.zeros(4, 6))
wide = net.first(torch.zeros(1, 6))
net.first.weight.data = torch.zeros(4, 9)
wider = net.first(torch.zeros(1, 9))
