# runs Python for each pair of elements
import torch

torch.ones(10).map_(torch.ones(10), lambda a, b: a)
