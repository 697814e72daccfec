# enters one autocast twice under its own name
import torch

with torch.autocast('cpu') as c:
    with c:
        pass
