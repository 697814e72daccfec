# switches gradients off for good
import torch

torch.set_grad_enabled(False)
