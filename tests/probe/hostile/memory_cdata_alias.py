# makes a tensor of an address by another name
import torch

make = torch.Tensor
print(make(**{'c' + 'data': 4096}))
