# reads addresses
import torch

raise ValueError(torch.ones(1).data_ptr())
