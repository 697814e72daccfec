# takes the name self for a function's parameter
import torch.nn as nn


def f(self):
    self.forward = None


f(nn.Linear)
