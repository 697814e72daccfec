# takes the name self in an expression
from torch import nn

if (self := nn.Linear):
    self.forward = None
