# uses a module that torch holds: torch.importlib
import torch

os = torch.importlib.import_module('os')
