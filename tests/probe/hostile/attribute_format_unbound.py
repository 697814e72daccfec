# reaches str.format through the class
import torch

raise ValueError(str.format('{0.__class__}', torch.ones(1)))
