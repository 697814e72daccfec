# reaches the globals of a function
import torch.nn.functional as F

f = F.cross_entropy
f.__globals__
