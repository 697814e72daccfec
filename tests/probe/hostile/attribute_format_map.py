# reads attributes with str.format_map
import torch

raise ValueError('{x.__class__.__mro__}'.format_map({'x': torch.ones(1)}))
