# defines __format__
import torch


class A:
    def __format__(self, *arguments):
        return torch.ones(1)


A()
