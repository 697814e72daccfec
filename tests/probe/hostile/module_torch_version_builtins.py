# uses a module that torch holds: torch.version.__builtins__['exec']
import torch

torch.version.__builtins__['exec']('import os')
