"""What the constructors of dataclasses and named tuples take, what they compute of it, and when they raise."""

from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar, NamedTuple

import torch


@dataclass
class Sizes:
    rows: int = 3
    columns: int = 4
    names: list = field(default_factory=list)


@dataclass
class Derived:
    width: int = 3
    total: int = field(init=False, default=7)
    factor: InitVar[int] = 2
    shift: int = 1

    def __post_init__(self, factor):
        self.width = self.width * factor


@dataclass
class Counted:
    kind: ClassVar[int] = 5
    rows: int = 3


@dataclass
class Separated:
    rows: int = 3
    _: KW_ONLY
    columns: int = 4


@dataclass(kw_only=True)
class ByName:
    rows: int = 3


class Inherited(Sizes):
    rows = 9


class Pair(NamedTuple):
    left: int
    right: int = 3


def attempted(make):
    try:
        return make()
    except TypeError:
        return None


def too_many():
    return torch.zeros(Separated(4, 5).columns).view(9)


def by_position():
    return torch.zeros(ByName(5).rows).view(9)


def unknown_name():
    return torch.zeros(Sizes(5, depth=4).rows).view(9)


def one_missing():
    return torch.zeros(Pair().right).view(9)


for make in (too_many, by_position, unknown_name, one_missing):
    attempted(make)

torch.zeros(Derived().width).view(6)
torch.zeros(Derived(2, 3, 8).width).view(6)
torch.zeros(Derived(2, 3, 8).shift).view(8)
torch.zeros(Derived(2, 3, 8).total).view(7)
torch.zeros(Counted(6).rows).view(6)
torch.zeros(Counted(6).kind).view(5)
torch.zeros(Inherited().rows).view(3)
torch.zeros(Separated(6, columns=2).columns).view(2)


def wrong():
    first = torch.zeros(Derived(2, 3, 8).width).view(2)  # expect: TL102
    second = torch.zeros(Counted(6).rows).view(5)  # expect: TL102
    third = torch.zeros(Sizes(2, columns=5).columns).view(4)  # expect: TL102
    return first, second, third
