"""What a parallel wrapper gives may be a copy of its module's result, gathered from replicas."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(48, 3)
        self.out = nn.LogSoftmax(dim=-1)
        self.seen = torch.zeros(2)

    def forward(self, x):
        self.seen = torch.zeros(5)
        return self.out(self.layer(x))


class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 3))

    def forward(self, x):
        return x.transpose(1, 2), self.weight, x.mean()


def gathered():
    net = nn.DataParallel(Net().cuda(), device_ids=[0, 1])  # expect: TL818
    out = net(torch.randn(8, 48).cuda())
    loss = nn.NLLLoss()(out.mul_((1 - out.exp()).pow_(2)), torch.zeros(8, dtype=torch.long).cuda())
    loss.backward()


def of_one_device():
    net = nn.DataParallel(Net().cuda(), device_ids=[0])  # expect: TL818
    out = net(torch.randn(8, 48).cuda())
    loss = nn.NLLLoss()(out.mul_((1 - out.exp()).pow_(2)), torch.zeros(8, dtype=torch.long).cuda())
    loss.backward()  # expect: TL402


def copied_by_ddp():
    net = DistributedDataParallel(Net(), find_unused_parameters=True)
    out = net(torch.randn(8, 48))
    out.mul_(2)
    out.sum().backward()


def not_copied_by_ddp():
    net = DistributedDataParallel(Net())
    out = net(torch.randn(8, 48))
    out.mul_(2)
    out.sum().backward()  # expect: TL402


def backward_twice():
    net = nn.DataParallel(Net())  # expect: TL818
    loss = net(torch.randn(8, 48)).sum()
    loss.backward()
    loss.backward()  # expect: TL403


def sizes():
    net = nn.DataParallel(Net())  # expect: TL818
    return net(torch.randn(8, 48)).view(8, 4)  # expect: TL102


def gathered_sizes():
    turned, weight, mean = nn.DataParallel(Turned())(torch.randn(8, 3, 4))  # expect: TL818
    return turned.view(8, 12), weight.view(8, 3), mean.view(2)


def own_sizes():
    turned, weight, mean = Turned()(torch.randn(8, 3, 4))
    turned.view(8, 12)  # expect: TL101
    weight.view(8, 3)  # expect: TL102
    return mean.view(2)  # expect: TL102


def set_on_a_replica():
    net, alone = Net(), Net()
    nn.DataParallel(net)(torch.randn(8, 48))  # expect: TL818
    alone(torch.randn(8, 48))
    return net.seen.view(2), alone.seen.view(2)  # expect: TL102
