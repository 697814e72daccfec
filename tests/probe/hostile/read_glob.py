# lists a folder through torch.glob
import torch

raise ValueError(torch.glob.glob('/*'))
