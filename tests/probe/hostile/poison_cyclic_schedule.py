# keeps a callable in a scheduler whose state shows its attributes
import torch

o = torch.optim.SGD([torch.ones(1)], 0.1)
torch.optim.lr_scheduler.CyclicLR(o, 0.1, 1.0, scale_fn=torch.nn.Module)
