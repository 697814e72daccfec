# assigns to torch by a loop
import torch

for torch.relu in [None]:
    pass
