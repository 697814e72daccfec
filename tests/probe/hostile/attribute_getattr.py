# uses getattr
import torch

f = getattr(torch.ones(1), 'data_ptr')
