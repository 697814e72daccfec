# points NumPy at an address
import torch


class A:
    __array_interface__ = {'shape': (8,), 'typestr': '<i8', 'data': (4096, False), 'version': 3}


torch.as_tensor(A())
