# makes a tensor of an address with Tensor.new
import torch

print(torch.ones(1).new(**{'cdata': 4096}))
