# reads attributes with the subscript of ParameterDict, from a class
import torch.nn as nn


class A(nn.ParameterDict):
    def f(self):
        return self['__reduce_ex__'](4)


A().f()
