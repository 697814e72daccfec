# reads attributes with str.format
import torch

raise ValueError('{0.__class__.__init__.__globals__}'.format(torch.ones(1)))
