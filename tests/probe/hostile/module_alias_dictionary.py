# keeps torch in a dictionary
import torch

{'t': torch.nn}['t'].data = 1
