"""Classes that decorators and `del` change after their body, and fields of named tuples, which nothing changes."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import torch
from somewhere import register
from torch import nn



def wide(cls):
    cls.size = 7
    return cls


def sized(size):
    def decorate(cls):
        cls.size = size
        return cls

    return decorate


def named(name):
    def decorate(cls):
        setattr(cls, name, 7)
        return cls

    return decorate


class Registry:
    def __init__(self):
        self.classes = {}

    def register(self, cls):
        self.classes[cls.__name__] = cls
        return cls


NETS = Registry()


@wide
class Wide:
    size = 4

    def rows(self):
        return torch.zeros(2, self.size) @ torch.zeros(7, 2)


@sized(7)
class Sized:
    size = 4

    def rows(self):
        return torch.zeros(2, self.size) @ torch.zeros(7, 2)


@NETS.register
class Registered:
    size = 4


@register("net")
class OfALibrary:
    size = 4


@dataclass
class Options:
    size: int = 4


@dataclass(frozen=True)
class Frozen:
    size: int = 4


class Deleted:
    size = 4
    kept = 4
    layer = nn.Linear(4, 3)


del Deleted.size

torch.zeros(2, Wide.size) @ torch.zeros(7, 2)
torch.zeros(2, Wide().size) @ torch.zeros(7, 2)
torch.zeros(2, Wide.size) @ torch.zeros(4, 2)  # expect: TL105
torch.zeros(2, Sized.size) @ torch.zeros(7, 2)
torch.zeros(2, Registered.size) @ torch.zeros(7, 2)  # expect: TL105
torch.zeros(2, OfALibrary.size) @ torch.zeros(7, 2)
torch.zeros(2, Options().size) @ torch.zeros(7, 2)  # expect: TL105
torch.zeros(2, Frozen().size) @ torch.zeros(7, 2)  # expect: TL105
torch.zeros(2, Deleted.kept) @ torch.zeros(7, 2)  # expect: TL105


def by_an_unknown_decorator(decorate):
    @decorate
    class Inside:
        size = 4

    return torch.zeros(2, Inside.size) @ torch.zeros(7, 2)


def by_an_unknown_name(name):
    @named(name)
    class Inside:
        size = 4

    return torch.zeros(2, Inside.size) @ torch.zeros(7, 2)


def of_a_base(x):
    class Base:
        def rows(self):
            return torch.zeros(2, 4)

    class Below(Base):
        def rows(self):
            return torch.zeros(2, 7)

    del Below.rows
    return Below().rows() @ torch.zeros(4, 2)


def of_a_deleted_attribute(x):
    try:
        size = Deleted.size
    except AttributeError:
        size = 7
    return torch.zeros(2, size) @ torch.zeros(7, 2)


Step = namedtuple("Step", "state action")


class Typed(NamedTuple):
    state: torch.Tensor
    action: int


class Below(namedtuple("Below", "state action")):
    pass


def of_a_named_tuple(kind):
    step = Step(torch.zeros(3, 4), 1)
    rows = torch.zeros(2, 7)
    try:
        step.state = rows
        rows = torch.zeros(2, 9)
    except AttributeError:
        step = step._replace(state=rows)
    return rows @ torch.zeros(7, 2), step.state


def of_a_typed_tuple():
    step, rows = Typed(torch.zeros(3, 4), 1), torch.zeros(2, 7)
    try:
        step.state = rows
        rows = torch.zeros(2, 9)
    except AttributeError:
        pass
    return rows @ torch.zeros(9, 2)  # expect: TL105


def of_a_class_below():
    step = Below(torch.zeros(3, 4), 1)
    try:
        step.state = torch.zeros(2, 9)
    except AttributeError:
        pass
    return step.state @ torch.zeros(4, 2)


def more_than_the_fields():
    step = Below(torch.zeros(3, 4), 1)
    step.reward = torch.zeros(2, 9)
    return step.reward @ torch.zeros(7, 2)  # expect: TL105
