# derives from Tensor
import torch


class A(torch.Tensor):
    pass


torch.ones(1).as_subclass(A)
