"""The class of an object may be a subclass whose `__init__` takes something else."""

from torch import nn


class Gate(nn.Module):
    def __init__(self, size, activation):
        super().__init__()
        self.size = size
        self.activation = activation

    def clone(self):
        return self.__class__(self.size)  # ok: a subclass may take one argument

    def twin(self):
        return type(self)(self.size)  # ok

    @classmethod
    def made(cls):
        return cls(3)  # ok

    @classmethod
    def named(cls):
        return Gate(3)  # expect: TL929


class Block(nn.Module):
    def forward(self, host, given):
        return given


class Single(Block):
    def hook(self, host):
        return self(host)  # ok: subclasses have the `forward` that is meant


class Whole(nn.Module):
    def forward(self, host, given):
        return given

    def hook(self, host):
        return self(host)  # expect: TL929
