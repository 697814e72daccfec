# reaches a method through the class of a class method, with a layer as its object
from torch import nn


class A:
    def g(self):
        self.forward = None

    @classmethod
    def f(cls):
        cls.g(nn.Linear)


A.f()
kinds = [nn.Linear]
