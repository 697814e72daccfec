# reads attributes with the subscript of ParameterDict
from torch import nn

read = nn.ParameterDict()['__init__']
