# uses a module that torch holds: torch.os.system
import torch

torch.os.system('touch escaped.txt')
