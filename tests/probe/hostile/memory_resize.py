# shrinks a tensor under others
import torch

torch.ones(10)[:5].resize_(100)
