# makes a tensor of an address
import torch

print(torch.Tensor(cdata=4096))
