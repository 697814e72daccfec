# defines __getattr__
import torch


class A:
    def __getattr__(self, *arguments):
        return torch.ones(1)


A()
