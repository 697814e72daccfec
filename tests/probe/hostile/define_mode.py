# derives from TorchFunctionMode
import torch
from torch.overrides import TorchFunctionMode


class A(TorchFunctionMode):
    pass


A().__enter__()
