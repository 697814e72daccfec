# puts a class into a scheduler afterwards
import torch
from torch import nn

o = torch.optim.SGD([nn.Parameter(torch.ones(1))], 0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0)
s.lr_lambdas = [nn.Module]
print(s.state_dict())
