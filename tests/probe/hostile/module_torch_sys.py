# uses a module that torch holds: torch.sys
import torch

os = torch.sys.modules['os']
