# reaches the module of Tensor
import torch

torch.Tensor.__module__
