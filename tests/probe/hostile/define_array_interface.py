# defines __array_interface__
import torch


class A:
    def __array_interface__(self, *arguments):
        return torch.ones(1)


A()
