"""Modules of the module's body that move, are cast or change their mode between the calls of functions that use them."""

import torch
from torch import nn

model = nn.Linear(4, 4)
model.cuda()


def train(loader):
    for data in loader:
        model(data.cuda())


train([torch.zeros(2, 4)])
model.cpu()

head = nn.Linear(4, 4).double()


def double(x):
    return head(torch.zeros(2, 4, dtype=torch.float64)), x


double(open("x"))
head.float()

steady = nn.Linear(4, 4).double()


def single(x):
    return steady(torch.zeros(2, 4)), x  # expect: TL213


steady.double()

once = nn.Linear(4, 4)
once.cuda()


def device_of_once(x):
    return once(torch.zeros(2, 4)), x  # expect: TL303


late = nn.Linear(4, 4)


def on_the_host(x):
    return late(torch.zeros(2, 4)), x


def on_the_gpu(x):
    return late(torch.zeros(2, 4, device="cuda")), x


on_the_host(open("x"))
late.cuda()
on_the_gpu(open("x"))

net = nn.Linear(4, 4)
net.cuda()
net.cpu()
for epoch in range(5):
    net.train()
    net(torch.rand(2, 4))
    net.eval()
    net(torch.rand(2, 4))
