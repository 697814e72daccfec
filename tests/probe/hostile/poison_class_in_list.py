# replaces a method of a class in a list
from torch import nn

for layer in [nn.Linear, nn.ReLU]:
    layer.forward = None
