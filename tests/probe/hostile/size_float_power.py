# hides a huge number in a power of a float
import torch

torch.zeros(int(10.0 ** 12))
