# deletes a method of a class
from torch import nn

layer = nn.Linear
del layer.forward
