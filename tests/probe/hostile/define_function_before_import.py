# derives from a Function above the import
def make():
    class B(torch.autograd.Function):
        def forward(self, x):
            self._x = 1
            return x

    return B


import torch

make()
