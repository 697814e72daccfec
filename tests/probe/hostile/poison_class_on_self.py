# replaces a method of a class kept on an object
from torch import nn


class A:
    def __init__(self):
        self.layer = nn.Linear
        self.layer.forward = None


A()
