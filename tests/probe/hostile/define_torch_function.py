# defines __torch_function__
import torch


class A:
    def __torch_function__(self, *arguments):
        return torch.ones(1)


A()
