# replaces a method of a layer
from torch import nn

nn.Linear.forward = print
