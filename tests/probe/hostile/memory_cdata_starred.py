# makes a tensor of an address by unpacking
import torch

print(torch.FloatTensor(**{'c' + 'data': 4096}))
