# reads attributes by the names that an LSTM keeps
import torch.nn as nn


class A(nn.LSTM):
    def f(self):
        self._all_weights = [['__reduce_ex__']]
        return self.all_weights[0][0](4)


A(1, 1).f()
