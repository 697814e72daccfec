# runs Python for each element
import torch

torch.ones(1000).apply_(lambda x: x)
