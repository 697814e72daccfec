# changes the default dtype
import torch

torch.set_default_dtype(torch.float64)
