# moves the strides of an array
import torch

a = torch.ones(4).numpy()
a.strides = (1000,)
