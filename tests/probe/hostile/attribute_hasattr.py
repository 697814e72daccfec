# uses hasattr
import torch

hasattr(torch.ones(1), '__class__')
