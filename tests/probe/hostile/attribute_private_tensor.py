# reads a private attribute of a tensor
import torch

torch.ones(1)._cdata
