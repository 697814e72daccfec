# replaces a method through a parameter
import torch.nn as nn


def f(layer):
    layer.forward = None


f(nn.Linear)
