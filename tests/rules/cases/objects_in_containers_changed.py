"""Objects in lists and dicts of others: what their methods change is not known where nothing in sight has called them."""

import torch
from torch import nn


class Part:
    def __init__(self, size):
        self.count = 0
        self.points = None
        self.scale = torch.zeros(3, 4)
        self.kept = torch.zeros(3, 4)

    def add(self, x):
        self.points = x if self.count == 0 else torch.cat((self.points, x))
        self.scale = torch.zeros(3, 7)
        self.count += 1


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = torch.zeros(3, 4)
        self.kept = torch.zeros(3, 4)

    def forward(self, x):
        self.memory = x
        return x


class Holder:
    def __init__(self, size):
        self.parts = [Part(size) for _ in range(size)]
        self.pairs = [(Part(size), 0), (Part(size), 1)]
        self.by_name = {"a": Part(size)}
        self.encoders = [Encoder(), Encoder()]
        self.encoder = Encoder()

    def from_list(self):
        return self.parts[0].scale @ torch.zeros(7, 2)

    def from_pairs(self):
        return self.pairs[0][0].scale @ torch.zeros(7, 2)

    def from_dict(self):
        return self.by_name["a"].scale @ torch.zeros(7, 2)

    def from_module(self):
        return self.encoder.memory @ torch.zeros(7, 2)

    def from_modules(self):
        return self.encoders[0].memory @ torch.zeros(7, 2)

    def placed(self, weights):
        if self.parts[0].points is None:
            weights = torch.zeros(3, 4)
        return weights @ torch.zeros(3, 2)

    def after_unknown_code(self, train):
        holder = Holder(2)
        train(holder)
        return holder.parts[0].scale @ torch.zeros(7, 2)

    def never_changed(self):
        return self.parts[0].kept @ torch.zeros(7, 2)  # expect: TL105

    def never_changed_in_module(self):
        return self.encoders[0].kept @ torch.zeros(7, 2)  # expect: TL105

    def just_made(self):
        return Holder(2).by_name["a"].scale @ torch.zeros(7, 2)  # expect: TL105


class Ring:
    def __init__(self):
        self.others = [self]
        self.row = torch.zeros(3, 4)

    def turn(self):
        self.row = torch.zeros(3, 7)

    def use(self):
        return self.others[0].row @ torch.zeros(7, 2)
