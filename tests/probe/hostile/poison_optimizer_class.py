# hands an optimizer class around
import torch

kind = torch.optim.SGD
kind.step = None
