# defines __instancecheck__
import torch


class A:
    def __instancecheck__(self, *arguments):
        return torch.ones(1)


A()
