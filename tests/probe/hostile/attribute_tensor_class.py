# climbs from a tensor
import torch

kind = torch.ones(1).__class__
