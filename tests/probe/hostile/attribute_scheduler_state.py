# reads the dictionary of a class out of a scheduler's state
import torch
from torch import nn

o = torch.optim.SGD([nn.Parameter(torch.ones(1))], 0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, nn.Module)
s.state_dict()['lr_lambdas'][0]['__setattr__'](nn.Linear(1, 1), '__class__', 1)
