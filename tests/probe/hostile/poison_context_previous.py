# changes what a context puts back
import torch

with torch.set_grad_enabled(False) as c:
    c.prev = False
