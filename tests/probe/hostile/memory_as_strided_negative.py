# reaches before a tensor
import torch

print(torch.ones(4).as_strided((2,), (-1,), 3))
