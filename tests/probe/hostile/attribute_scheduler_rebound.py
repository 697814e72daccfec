# rebinds a function that a scheduler keeps
import torch

from torch import nn


def f(epoch):
    return 1.0


f = nn.Identity()
o = torch.optim.SGD([torch.ones(1)], 0.1)
torch.optim.lr_scheduler.LambdaLR(o, f).load_state_dict({'lr_lambdas': [{'_modules': 1}]})
