# uses a module that torch holds: torch.library.Library
import torch

torch.library.Library('aten', 'IMPL')
