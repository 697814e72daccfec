# gives type another name
import torch

t = type
t(torch.ones(1))
