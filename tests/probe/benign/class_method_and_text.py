import torch
from torch import nn


class Config:
    made = 0

    def __init__(self, size):
        self.size = size

    @classmethod
    def small(cls, scale=1):
        cls.made += 1
        return cls(2 * scale)

    def __repr__(self):
        return f"Config({self.size})"

    def __contains__(self, size):
        return size <= self.size


config = Config.small(2)
assert 3 in config and Config.made == 1
print(config, nn.Linear(config.size, 1))
torch.testing.assert_close(torch.ones(2), torch.ones(2))
