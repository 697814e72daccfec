# lets super take the argument of a lambda
from torch import nn


class P:
    def f(self):
        self.forward = None


class A(P):
    def s(self):
        (lambda kind: super().f(nn.Linear))(B)


class B(A):
    pass


A().s()
kinds = [nn.Linear]
