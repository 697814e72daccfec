# makes a Variable of an address
import torch

print(torch.autograd.Variable(**{'cdata': 4096}))
