# sets an attribute by a string
from torch import nn

nn.Linear(1, 1).set_submodule('__class__', nn.Linear(1, 1))
