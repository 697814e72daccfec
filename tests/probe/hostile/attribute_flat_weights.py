# reads attributes by the names that a recurrent layer keeps
import torch.nn as nn


class A(nn.GRU):
    def f(self):
        self._flat_weights_names = ['__reduce_ex__']
        self._init_flat_weights()
        return self._flat_weights[0](4)


A(1, 1).f()
