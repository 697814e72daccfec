# uses a module that torch holds: torch.ops.load_library
import torch

torch.ops.load_library('escaped.so')
