# defines __del__
import torch


class A:
    def __del__(self, *arguments):
        return torch.ones(1)


A()
