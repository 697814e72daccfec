# lets super take a class, which makes a method a plain function
from torch import nn


class P:
    def __init__(self):
        self.forward = None


class A(P):
    @staticmethod
    def s(kind):
        super().__init__(nn.Linear)


class B(A):
    pass


A.s(B)
kinds = [nn.Linear]
