# takes the traceback of an exception
import torch

try:
    torch.ones(2) @ torch.ones(3)
except RuntimeError as e:
    kept = e.__traceback__
