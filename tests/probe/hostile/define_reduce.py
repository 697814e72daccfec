# defines __reduce__
import torch


class A:
    def __reduce__(self, *arguments):
        return torch.ones(1)


A()
