# replaces a method through another name of the class
import torch.nn as nn

layer = nn.Linear
layer.forward = None
