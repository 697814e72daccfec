# assigns to torch in a comprehension
import torch

[0 for torch.relu in [None]]
