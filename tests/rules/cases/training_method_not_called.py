"""Methods that are named and not called, and those that are meant."""

import torch
import torch.distributed as dist
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 1)

    def train(self, mode=True):
        return super().train(mode)

    def forward(self, x):
        return self.lin(x)


def steps(x):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    net.train  # expect: TL518
    optimizer.zero_grad  # expect: TL518
    loss = net(x).sum()
    loss.backward  # expect: TL518
    optimizer.step  # expect: TL518
    scheduler.step  # expect: TL518
    net.lin.eval  # expect: TL518
    return loss.item


def of_unknown(optimizer, loss, model):
    optimizer.zero_grad  # expect: TL518
    loss.backward  # expect: TL518
    model.eval
    optimizer.step


def functions():
    dist.barrier  # expect: TL518
    torch.cuda.synchronize  # expect: TL518
    torch.cuda.is_available


def arguments(path):
    net = nn.Linear(2, 1)
    torch.optim.Adam(net.parameters, lr=0.1)  # expect: TL518
    nn.utils.clip_grad_norm_(net.parameters, 1.0)  # expect: TL518
    torch.save(net.state_dict, path)  # expect: TL518
    torch.save({"model": net.state_dict, "epoch": 3}, path)  # expect: TL518
    torch.save({"model": net.state_dict()}, path)
    torch.optim.Adam(net.parameters(), lr=0.1)


def kept(net: nn.Linear, run):
    switch = net.eval
    run(net.train)
    shown = net.weight.grad
    net.weight.shape
    net.weight
    return switch, shown


class Counted:
    def __init__(self):
        self.step = 0

    def show(self):
        self.step
        return self.step


class Vocabulary:
    def __init__(self, words):
        self.words = list(words)
        self.width = 64

    def size(self):
        return len(self.words)

    @property
    def count(self):
        return len(self.words)


def sizes(words, x: torch.Tensor):
    vocab = Vocabulary(words)
    torch.zeros(vocab.size, 2)  # expect: TL518
    torch.ones(torch.ones(3).numel)  # expect: TL518
    torch.zeros(vocab.size(), vocab.count, vocab.width)
    nn.Embedding(vocab.count, vocab.width)
    nn.Embedding(vocab.size, vocab.width)  # expect: TL518
    return nn.Linear(in_features=2, out_features=vocab.size)  # expect: TL518


class OfVocabulary(nn.Module):
    def __init__(self, vocab: Vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocab.size, 4)  # ok: a subclass may make a property of it
        self.out = nn.Linear(4, vocab.size())
