# hands nn.Module around
from torch import nn

kind = nn.Module
print(kind)
