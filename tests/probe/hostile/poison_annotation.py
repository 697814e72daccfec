# hands a class over in an annotation
import torch.nn as nn


def f(layer):
    layer.forward = None


def g(x: f(nn.Linear)):
    pass
