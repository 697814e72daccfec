# uses the context of a Function as self
import torch


class A(torch.autograd.Function):
    def forward(self, x):
        self._forward_cls = None
        return x


A.apply(torch.ones(1))
