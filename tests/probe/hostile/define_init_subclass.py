# defines __init_subclass__
import torch


class A:
    def __init_subclass__(self, *arguments):
        return torch.ones(1)


A()
