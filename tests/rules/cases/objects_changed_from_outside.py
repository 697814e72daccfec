"""What other code sets on an object, and what subclasses override, is not taken for what `__init__` has left."""

import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    classes = 0

    def __init__(self):
        super().__init__()
        self.width = 0
        self.weight = None

    def forward(self, x):
        padding = torch.zeros(4, self.width)
        return F.linear(x, self.weight).view(-1, self.classes), padding[:, 2]


class NarrowHead(nn.Module):
    classes = 3

    def __init__(self):
        super().__init__()
        self.width = 2

    def forward(self, x):
        return torch.zeros(4, self.width)[:, 2]  # expect: TL122


head = Head()
head.width, head.classes = 5, 3
head.weight = torch.rand(3, 4)
head(torch.rand(2, 4))


class Encoder(nn.Module):
    hidden = 4

    def __init__(self):
        super().__init__()
        self.body = self.build()
        self.middle = nn.Linear(16, 8)
        self.head = nn.Linear(10, 2)

    def build(self):
        return nn.Linear(8, self.hidden)

    def forward(self, x):
        return self.head(self.after(self.middle(self.body(x))))

    def after(self, x):
        return x


class WideEncoder(Encoder):
    hidden = 16

    def after(self, x):
        return torch.cat([x, x[:, :2]], 1)


WideEncoder()(torch.rand(2, 8))


class UsedEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, self.width())
        self.head = nn.Linear(10, 2)

    def width(self):
        return 4

    def forward(self, x):
        return self.head(self.body(x))  # expect: TL121


class WiderEncoder(UsedEncoder):
    def width(self):
        return 10


def encoders():
    return [UsedEncoder(), WiderEncoder()]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(512, 1000)
        self.reduce = nn.Linear(20, 1000)
        self.tail = nn.Linear(10, 3)
        self.other = nn.Linear(5, 3)

    def forward(self, x):
        y = self.other(x[:, :5])
        z = self.other(y)  # expect: TL121
        return self.tail(self.features(x)), self.tail(self.reduce(x[:, :20])), z


def replaced():
    model = Classifier()
    model.features = nn.Linear(512, 10)
    setattr(model, "reduce", nn.Linear(20, 10))
    return model


class Options:
    width = -1

    def __init__(self, **given):
        self.depth = -1
        for name, value in given.items():
            if hasattr(self, name):
                setattr(self, name, value)


class OptionsOfDict:
    width = -1

    def __init__(self, **given):
        self.depth = -1
        self.__dict__.update(given)


class OptionsOfOneName:
    width = -1
    depth = -1

    def __init__(self, **given):
        setattr(self, "depth", given["depth"])


def sized(options):
    first, second = Options(**options), OptionsOfDict(**options)
    return torch.zeros(first.width, first.depth), torch.zeros(second.width, second.depth)


def sized_by_one_name(options):
    given = OptionsOfOneName(**options)
    return torch.zeros(given.depth), torch.zeros(given.width)  # expect: TL128


class Named(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.by_item, self.by_update = nn.ModuleDict(), nn.ModuleDict()
        self.by_method, self.empty = nn.ModuleDict(), nn.ModuleDict()
        self.by_update.update({name: nn.Linear(4, 4) for name in names})
        for name in names:
            self.by_item[name] = nn.Linear(4, 4)
            self.by_method.add_module(name, nn.Linear(4, 4))

    def forward(self, x):
        y = torch.cat([layer(x) for layer in self.by_item.values()], dim=-1)
        y = y + torch.cat([layer(x) for layer in self.by_update.values()], dim=-1)
        return y + torch.cat([layer(x) for layer in self.by_method.values()], dim=-1)


two = nn.ModuleDict()
two["narrow"] = nn.Linear(4, 2)
two.add_module("wide", nn.Linear(4, 8))
two["narrow"](two["wide"](torch.rand(3, 4)))  # expect: TL121
Named(["a", "b"])(torch.rand(3, 4))


class Voice(nn.Module):
    def __init__(self, width, exported=False):
        super().__init__()
        self.embedding = nn.Embedding(10, width)
        self.mix = nn.Conv1d(width, width, 3, padding=1)
        if exported:
            self.forward = self.infer

    def forward(self, tokens, spectrum):
        return self.mix(self.embedding(tokens).transpose(1, 2)) + self.mix(spectrum)  # expect: TL120

    def infer(self, tokens, pace=1.0):
        return self.mix(self.embedding(tokens).transpose(1, 2)) * pace


voice, other, wrapped = Voice(4), Voice(4), nn.Linear(4, 2)
voice.forward = voice.infer
voice(torch.tensor([[1, 2, 3]]), torch.ones(1))
wrapped.forward = lambda x: x
wrapped(torch.rand(3, 5))
Voice(4, exported=True)(torch.tensor([[1, 2, 3]]), torch.ones(1))
other(torch.tensor([[1, 2, 3]]), torch.ones(1))


class Growing(nn.Sequential):
    def __init__(self, count, width):
        super().__init__()
        for i in range(count):
            self.add_module("layer%d" % i, nn.Linear(width, width + 1))
            width += 1


class GrowingByName(nn.Sequential):
    def __init__(self, width):
        super().__init__()
        for i in range(2):
            setattr(self, f"layer{i}", nn.Linear(width + i, width + i + 1))


class Fixed(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.add_module("second", nn.Linear(8, 16))


class Ended(nn.Module):
    def __init__(self):
        super().__init__()
        self.growing, self.named, self.fixed = Growing(2, 4), GrowingByName(4), Fixed()
        self.last, self.wrong = nn.Linear(6, 2), nn.Linear(6, 2)

    def forward(self, x):
        return self.last(self.growing(x)), self.last(self.named(x))

    def end_of_fixed(self, x):
        return self.wrong(self.fixed(x))  # expect: TL121


Ended()(torch.rand(3, 4))
