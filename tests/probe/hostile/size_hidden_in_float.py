# hides a huge number in a float
import torch

torch.zeros(int(1e12))
