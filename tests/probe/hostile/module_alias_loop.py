# iterates over modules
import torch

for m in [torch, torch.nn]:
    m.state = 1
