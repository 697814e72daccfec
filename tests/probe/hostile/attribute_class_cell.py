# uses the cell __class__ of a method
import torch


class A(torch.nn.Linear):
    def f(self):
        return __class__


A(1, 1).f()
