# defines __class_getitem__
import torch


class A:
    def __class_getitem__(self, *arguments):
        return torch.ones(1)


A()
