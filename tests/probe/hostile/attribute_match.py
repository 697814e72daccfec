# reads attributes with a class pattern
import torch

match torch.ones(1):
    case object(__class__=c):
        c.mro()
