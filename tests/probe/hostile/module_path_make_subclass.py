# uses a private method of Tensor
import torch

torch.Tensor._make_subclass(torch.Tensor, torch.ones(1))
