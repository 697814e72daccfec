# keeps as_strided as a value
import torch

f = torch.ones(1).as_strided
print(f((2,), (9,), 7))
