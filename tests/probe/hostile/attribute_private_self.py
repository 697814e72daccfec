# reads a private attribute of a module as its own
import torch


class A(torch.nn.Module):
    def f(self):
        return self._modules


A().f()
