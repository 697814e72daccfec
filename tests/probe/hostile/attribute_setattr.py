# uses setattr
import torch

setattr(torch, 'relu', None)
