# uses a module that torch holds: torch.ctypes
import torch

library = torch.ctypes.CDLL(None)
