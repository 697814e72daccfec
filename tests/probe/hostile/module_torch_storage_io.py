# uses a module that torch holds: torch.storage.io.open
import torch

torch.storage.io.open('escaped.txt', 'w')
