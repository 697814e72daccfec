import torch
from torch import nn


class Meter:
    unit = "ms"

    def __init__(self):
        self.total, self.n = 0.0, 0

    @staticmethod
    def clean(value):
        return float(value)

    @property
    def mean(self):
        return self.total / max(self.n, 1)

    def update(self, value):
        self.total += Meter.clean(value)
        self.n += 1

    def __call__(self, value):
        self.update(value)
        return self


meter = Meter()
meter.update(torch.tensor(3.0))
meter(1)
assert meter.mean == 2.0
print(meter.mean, Meter.unit)
