import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.lin(x))


class Mlp(nn.Module):
    def __init__(self, sizes, depth):
        super().__init__()
        layers = []
        for i, o in zip(sizes[:-1], sizes[1:]):
            layers.append(nn.Linear(i, o))
            layers.append(nn.ReLU())
        self.net = nn.Sequential(*layers)
        self.blocks = nn.ModuleList([Block(sizes[-1], sizes[-1]) for _ in range(depth)])
        self.heads = nn.ModuleDict({"a": nn.Linear(sizes[-1], 2), "b": nn.Linear(sizes[-1], 5)})
        self.many = nn.ModuleList()
        for k in range(depth):
            self.many.append(nn.Linear(sizes[-1], sizes[-1]))
        prev = sizes[-1]
        more = []
        for h in [32, 64]:
            more += [nn.Linear(prev, h), nn.Tanh()]
            prev = h
        self.more = nn.Sequential(*more)

    def forward(self, x):
        x = self.net(x)
        for block in self.blocks:
            x = block(x)
        for i, lin in enumerate(self.many):
            x = x + lin(x)
        y = {name: head(x) for name, head in self.heads.items()}
        z = self.more(x)
        return y["a"], self.heads["b"](x), z


net = Mlp([4, 8, 16], 3)
a, b, z = net(torch.ones(7, 4))  # fact: b = f32[7, 5] grad  # fact: z = f32[7, 64] grad
depth = int(torch.tensor(20))
big = Mlp([4, 8, 16], depth)
c, d, e = big(torch.ones(7, 4))  # fact: d = f32[7, 5] grad  # fact: e = f32[7, 64] grad
first = net.blocks[0]
f = first(torch.ones(1, 16))  # fact: f = f32[1, 16] grad
tail = net.net[1:]
g = tail(torch.ones(2, 8))
count = len(net.blocks)
names = [n for n, p in net.named_parameters()]
for name, p in net.named_parameters():
    shape = p.shape
for child in net.children():
    kind = child
keys = list(net.heads.keys())
hidden = nn.Sequential(*[nn.Linear(6, 6) for _ in range(4)])
h = hidden(torch.ones(2, 6))  # fact: h = f32[2, 6] grad
seq = []
for _ in range(depth):
    seq.append(nn.Linear(6, 6))
deepnet = nn.Sequential(*seq)
i = deepnet(torch.ones(2, 6))
